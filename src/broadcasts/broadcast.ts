import { z } from 'zod';
import { LANGUAGES } from '../i18n/texts.ts';

/**
 * Audience of a broadcast. `active`: users who were active within the last `days` days, today included. `me`: a test,
 * sent only to its author.
 */
export const audienceSchema = z.discriminatedUnion('who', [
  z.object({ who: z.enum(['everybody', 'holders', 'guests', 'merchants', 'me']) }),
  z.object({ who: z.literal('language'), language: z.enum(LANGUAGES) }),
  z.object({ who: z.literal('active'), days: z.number().int().positive() }),
]);
export type Audience = z.infer<typeof audienceSchema>;

/**
 * The bot's copy of an admin's message, in their private chat. Its buttons are stored here, because further copies lose
 * them.
 */
export const contentSchema = z.object({
  chat: z.number(),
  message: z.number(),
  buttons: z.array(z.object({ text: z.string(), url: z.string() })),
  /** Hash of the message's text, media and links. */
  hash: z.string(),
});
export type Content = z.infer<typeof contentSchema>;

/** Message for each language. `default` is for users whose language has no separate message. */
export const contentsSchema = z.object({
  default: contentSchema,
  ...(Object.fromEntries(LANGUAGES.map((one) => [one, contentSchema.optional()])) as {
    [one in (typeof LANGUAGES)[number]]: z.ZodOptional<typeof contentSchema>;
  }),
});
export type Contents = z.infer<typeof contentsSchema>;

/**
 * States of a broadcast.
 *
 * - `scheduled`: waits for its start time.
 * - `gathering`: the audience is being resolved.
 * - `sending`: messages are being sent.
 * - `paused`: an admin paused it, or it can't continue.
 * - `done`, `stopped`: ended.
 * - `missed`: never started, because it would have been more than an hour late.
 */
export const STATES = ['scheduled', 'gathering', 'sending', 'paused', 'done', 'stopped', 'missed'] as const;

/**
 * Reasons of a pause.
 *
 * - `admin`: an admin paused it.
 * - `gone`: the message to copy doesn't exist any more.
 * - `refused`: Telegram refuses the message for all recipients.
 * - `lost`: several responses of Telegram were lost in a row.
 * - `audience`: the stored audience can't be read any more.
 * - `nobody`: the admin who confirmed it is no longer an admin.
 * - `outdated`: its record is older than that of a running broadcast can be. An admin must decide whether it continues.
 * - `rolled-back`: Redis may have lost its latest progress. Some users could get the message twice.
 */
const PAUSES = ['admin', 'gone', 'refused', 'lost', 'audience', 'nobody', 'outdated', 'rolled-back'] as const;

export const broadcastSchema = z.object({
  id: z.string(),
  /** Admin who confirmed it, or who resumed it when the former admin was no longer an admin. */
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
  /** Number of recipients. Known once the audience is resolved. */
  total: z.number(),
  /**
   * Number of recipients with a result, from the start of the audience. Each one is counted once below or listed in
   * `putOff`.
   */
  settled: z.number(),
  sent: z.number(),
  blocked: z.number(),
  deactivated: z.number(),
  unreachable: z.number(),
  failed: z.number(),
  /** Telegram's response was lost. These users may have the message and don't get it again. */
  unknown: z.number(),
  /** Users who had opted out or couldn't be sent messages any more when their place came. */
  skipped: z.number(),
  /** Places in the audience that are deferred, and tried again at the end. */
  putOff: z.array(z.number()),
  /** Attempts without a recorded result, each as its place in the audience. A place is listed once per attempt. */
  openAttempts: z.array(z.number()).default([]),
  /** Nothing is sent until then, in epoch milliseconds. */
  quietUntil: z.number().optional(),
  /** Number of 429 responses. */
  objections: z.number(),
  /**
   * Random id of the process that works on it, or died while working on it. It keeps the writes of two processes
   * different.
   */
  holder: z.string().optional(),
  /** Number of times that a process took over after another one had died. */
  retaken: z.number(),
  /** Time spent sending, in milliseconds. */
  sendingMs: z.number(),
  /** Last time that an admin started or resumed it, or that a process worked on it (epoch milliseconds). */
  activeAt: z.number().default(0),
  /** Epoch of the stored data in which an admin last started or resumed it. */
  epoch: z.string().optional(),
  /** Counts the writes of this record. An older version that was put back has a lower number. */
  revision: z.number().default(0),
});
export type Broadcast = z.infer<typeof broadcastSchema>;

export const isEnded = ({ state }: Pick<Broadcast, 'state'>) =>
  state === 'done' || state === 'stopped' || state === 'missed';
