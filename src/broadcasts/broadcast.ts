import { z } from 'zod';
import { LANGUAGES } from '../i18n/texts.ts';

/** For whom a broadcast is. `active`: were here within so many days, today included. `me`: a test, to who makes it. */
export const audienceSchema = z.discriminatedUnion('who', [
  z.object({ who: z.enum(['everybody', 'holders', 'guests', 'merchants', 'me']) }),
  z.object({ who: z.literal('language'), language: z.enum(LANGUAGES) }),
  z.object({ who: z.literal('active'), days: z.number().int().positive() }),
]);
export type Audience = z.infer<typeof audienceSchema>;

/** The bot's own copy of what an admin has sent, in the private chat with them, and its buttons, which a copy of it drops. */
export const contentSchema = z.object({
  chat: z.number(),
  message: z.number(),
  buttons: z.array(z.object({ text: z.string(), url: z.string() })),
  /** Of all that it says and shows and where it leads. */
  hash: z.string(),
});
export type Content = z.infer<typeof contentSchema>;

/** `default` is for whose language has none of its own. */
export const contentsSchema = z.object({
  default: contentSchema,
  ...(Object.fromEntries(LANGUAGES.map((one) => [one, contentSchema.optional()])) as {
    [one in (typeof LANGUAGES)[number]]: z.ZodOptional<typeof contentSchema>;
  }),
});
export type Contents = z.infer<typeof contentsSchema>;

/**
 * How a broadcast stands: not begun before its time; finding out who gets it; under way; held up by an admin or because
 * it can't go on; and ended: all done, stopped, or not begun since it would have been more than an hour late.
 */
export const STATES = ['scheduled', 'gathering', 'sending', 'paused', 'done', 'stopped', 'missed'] as const;

/**
 * Why one is held up: an admin wished it; its message is gone, or Telegram takes it from nobody; Telegram's answers are lost,
 * one after the other; who gets it can't be read any more; who confirmed it is no admin any more.
 *
 * `outdated`: its record is older than a running broadcast's can be, so an admin has to decide whether it continues.
 * `rolled-back`: Redis may have lost its last progress, so that people would get it twice.
 */
const PAUSES = ['admin', 'gone', 'refused', 'lost', 'audience', 'nobody', 'outdated', 'rolled-back'] as const;

export const broadcastSchema = z.object({
  id: z.string(),
  /** Who confirmed it, or had it go on when they that did are no admin any more. */
  admin: z.number(),
  contents: contentsSchema,
  audience: audienceSchema,
  state: z.enum(STATES),
  pause: z
    .object({
      why: z.enum(PAUSES),
      by: z.number().optional(),
      reason: z.string().optional(),
      at: z.number().optional(),
    })
    .optional(),
  /** Epoch milliseconds. */
  createdAt: z.number(),
  startAt: z.number(),
  begunAt: z.number().optional(),
  endedAt: z.number().optional(),
  /** How many it is for; known once they are gathered. */
  total: z.number(),
  /** Of these so many are settled, the first of them in order; each counts below exactly once. */
  settled: z.number(),
  sent: z.number(),
  blocked: z.number(),
  deactivated: z.number(),
  unreachable: z.number(),
  failed: z.number(),
  /** The answer was lost: they may have it, and don't get it again. */
  unknown: z.number(),
  /** They no longer wished it, or were gone, when it was their turn. */
  skipped: z.number(),
  /** Places in the audience that Telegram put off, and who are tried again at the end. */
  putOff: z.array(z.number()),
  /** Attempts without a recorded result, each as its place in the audience. A place is listed once per attempt. */
  openAttempts: z.array(z.number()).default([]),
  /** Telegram asked for quiet until then (epoch milliseconds). */
  quietUntil: z.number().optional(),
  /** How often it did. */
  objections: z.number(),
  /** The process that is at it, or has died over it: so no two ever write the same. */
  holder: z.string().optional(),
  /** How often a process took it up that another had died over. */
  retaken: z.number(),
  /** Milliseconds in which it was sending. */
  sendingMs: z.number(),
  /** When an admin last started it or let it go on, or a process last worked on it (epoch milliseconds). */
  activeAt: z.number().default(0),
  /** Epoch of the stored data in which an admin started it or let it go on. */
  epoch: z.string().optional(),
  /** Counts the writes of this record. An old version that was put back has a lower number. */
  revision: z.number().default(0),
});
export type Broadcast = z.infer<typeof broadcastSchema>;

export const isEnded = ({ state }: Pick<Broadcast, 'state'>) =>
  state === 'done' || state === 'stopped' || state === 'missed';
