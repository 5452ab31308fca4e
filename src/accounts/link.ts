import { z } from 'zod';
import type { Renewal } from '../storage/renewal.ts';
import type { Seal } from '../storage/seal.ts';

/** A link as it is stored. It holds a key, sealed, or refers to the operator's account, whose key is in the configuration. */
export const linkSchema = z.object({
  account: z.number(),
  /** The last four characters at most: all of the key that is ever shown. Empty of a reference. */
  tail: z.string(),
  key: z.string().optional(),
  /** It refers to the operator's account. */
  operators: z.literal(true).optional(),
  linkedAt: z.number(),
  /** What its user reads, for what they are told outside of their own updates. */
  language: z.enum(['en', 'ru']),
  /** They make invoices for others: by their own word, or because they have made one. */
  sells: z.boolean().optional(),
});

export type StoredLink = z.infer<typeof linkSchema>;

/** The account of the rental service that a Telegram user has linked. Its key is here only sealed. */
export type Link = Omit<StoredLink, 'key'>;

/** What the keys of links begin with. */
export const LINKS = 'link:';
export const linkKey = (user: number) => `${LINKS}{${user}}`;

/** What a user's key is sealed for. */
export const aboutKeyOf = (user: number) => ({ user, purpose: 'api-key' });

export function withoutKey({ key: _, ...link }: StoredLink): Link {
  return link;
}

/** The same as a reference to the operator's account: it keeps no key, nor what one ends with. */
export function referring({ key: _, ...link }: StoredLink): StoredLink {
  return { ...link, tail: '', operators: true };
}

/** Four characters, and fewer of a short key, so that most of it stays secret. */
export function tailOf(apiKey: string): string {
  return apiKey.slice(-Math.min(4, Math.floor(apiKey.length / 2)));
}

/** Has the newest secret take over every link. */
export function linksRenewal(seal: Seal): Renewal {
  return {
    prefix: LINKS,
    reseal(content, recordKey) {
      const { key, ...link } = linkSchema.parse(JSON.parse(content));
      if (key === undefined) return content;
      const user = Number(/\d+/.exec(recordKey)?.[0]);
      return JSON.stringify({ ...link, key: seal.renew(key, aboutKeyOf(user)) });
    },
  };
}
