import { z } from 'zod';
import { type DialogueState, keptSchema } from './dialogue.ts';

/** What was answered so far; each kind uses what it needs. Amounts of TRX are decimal strings. */
export const answersSchema = keptSchema.extend({
  address: z.string().optional(),
  amount: z.number().optional(),
  hours: z.number().optional(),
  trx: z.string().optional(),
  all: z.boolean().optional(),
  label: z.string().optional(),
  guarantee: z.boolean().optional(),
  action: z.string().optional(),
  /** The end of the address was typed once more. */
  endsTyped: z.boolean().optional(),
  /** Of an invoice. */
  transfers: z.number().optional(),
  shared: z.boolean().optional(),
  note: z.string().optional(),
  subscription: z.number().optional(),
  /** An address that was given before it was asked for; and those of which one is meant. */
  to: z.string().optional(),
  either: z.array(z.string()).optional(),
  /** Behind a command, and not used up yet: each question takes its answer from it. */
  said: z.string().optional(),
});

/** What is known so far of an operation. */
export interface MoneyState extends DialogueState, z.infer<typeof answersSchema> {
  /** As far as the service told just now: asked anew for each card. */
  estimate?: string | undefined;
  balance?: string | undefined;
  /** Of an account without two-factor codes. */
  cap?: string | undefined;
  transferFee?: string | undefined;
}

/** The step that follows the last question. */
export const CARD = 'card';
