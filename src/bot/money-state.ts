import { z } from 'zod';
import { type DialogueState, keptSchema } from './dialogue.ts';

/** Answers so far. Each operation kind uses those that it needs. Amounts of TRX are decimal strings. */
export const answersSchema = keptSchema.extend({
  address: z.string().optional(),
  amount: z.number().optional(),
  hours: z.number().optional(),
  trx: z.string().optional(),
  all: z.boolean().optional(),
  label: z.string().optional(),
  guarantee: z.boolean().optional(),
  action: z.string().optional(),
  /** Whether the user has typed the end of the address again. */
  endsTyped: z.boolean().optional(),
  /** Answers for an invoice. */
  transfers: z.number().optional(),
  shared: z.boolean().optional(),
  note: z.string().optional(),
  subscription: z.number().optional(),
  /** `to`: address that was given before its question. `either`: addresses that the user must choose between. */
  to: z.string().optional(),
  either: z.array(z.string()).optional(),
  /** Text after the command that no question has used yet. */
  said: z.string().optional(),
});

/** State of the questions about an operation. */
export interface MoneyState extends DialogueState, z.infer<typeof answersSchema> {
  /** Values that the service has just reported. Requested again for each card. */
  estimate?: string | undefined;
  balance?: string | undefined;
  /** Daily limit in TRX of an account without two-factor codes. */
  cap?: string | undefined;
  transferFee?: string | undefined;
}

/** Step after the last question. */
export const CARD = 'card';
