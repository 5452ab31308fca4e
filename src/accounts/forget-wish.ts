import { z } from 'zod';
import { LANGUAGES } from '../texts/texts.ts';

export const wishSchema = z.object({
  user: z.number(),
  /** When they were asked, in epoch milliseconds: confirmed twice, it is one wish. */
  asked: z.number(),
  /** The update by which they confirmed it. */
  update: z.number(),
  /** When, in epoch milliseconds. */
  at: z.number(),
  language: z.enum(LANGUAGES),
  /** Which link is meant, by when it was made: none that they make later. */
  linkedAt: z.number().optional(),
});

/** Somebody has confirmed that they want to be forgotten. */
export type ForgetWish = z.infer<typeof wishSchema>;

/** Where the events of the account go that they had linked, and how many of their invoices aren't checked any more. */
export const leftSchema = z.object({
  account: z.number(),
  events: z.enum(['as-before', 'nowhere', 'stays']),
  unchecked: z.number(),
});

/** What is told to who was forgotten. */
export type Forgotten = Pick<ForgetWish, 'user' | 'language'> & { left?: z.infer<typeof leftSchema> };
