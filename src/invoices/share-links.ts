import { createHash, randomBytes } from 'node:crypto';
import { z } from 'zod';
import type { Seal } from '../platform/encryption.ts';
import type { SignedRecords } from '../platform/records.ts';
import type { InvoiceLinks } from './card.ts';
import { FOLLOWED_MS, type Invoice, type InvoiceRef } from './invoice.ts';
import type { InvoiceStore } from './invoice-store.ts';

/** Key prefix of shared invoices. */
export const SHARES = 'share:';

/** Size of a token in bytes: 192 bits can't be guessed. */
const TOKEN_BYTES = 24;
const TOKEN = /^[\w-]{32}$/;
const PURPOSE = 'share';

const shareSchema = z.object({ user: z.number(), id: z.string() });

/**
 * Links to invoices. A token is random. It is stored sealed for the user who made the invoice, and as a hash for
 * lookups. A link expires a day after the invoice. Unknown, expired and revoked tokens give the same result.
 */
export interface Shares {
  /**
   * Returns the token of an invoice's link, the same one until it is revoked; `undefined` if a link would have expired.
   */
  share(ref: InvoiceRef): Promise<string | undefined>;
  revoke(ref: InvoiceRef): Promise<void>;
  find(token: string): Promise<Invoice | undefined>;
  /** Returns the token of the invoice's link, `undefined` without a link. */
  tokenOf(invoice: Invoice): string | undefined;
}

export function createShares({
  store,
  records,
  seal,
  now,
}: {
  store: InvoiceStore;
  records: SignedRecords;
  seal: Seal;
  now: () => number;
}): Shares {
  const keyOf = (token: string) => `${SHARES}${createHash('sha256').update(token).digest('base64url')}`;
  const aboutOf = ({ user, id }: InvoiceRef) => ({ user, purpose: `${PURPOSE}:${id}` });
  const tokenOf = (invoice: Invoice) =>
    invoice.share === undefined ? undefined : seal.open(invoice.share, aboutOf(invoice));

  return {
    tokenOf,
    async share(ref) {
      const fresh = randomBytes(TOKEN_BYTES).toString('base64url');
      const invoice = await store.change(ref, (present) => {
        if (tokenOf(present) !== undefined || now() >= present.expiresAt + FOLLOWED_MS) return undefined;
        return { ...present, share: seal.seal(fresh, aboutOf(present)) };
      });
      const token = invoice && tokenOf(invoice);
      if (invoice === undefined || token === undefined) return undefined;
      const ttlMs = invoice.expiresAt + FOLLOWED_MS - now();
      if (ttlMs <= 0) return undefined;
      // Writes also for an existing token: an earlier attempt may have failed before this step.
      await records.set(keyOf(token), JSON.stringify({ user: ref.user, id: ref.id }), { ttlMs });
      return token;
    },
    async revoke(ref) {
      const invoice = await store.read(ref);
      const token = invoice && tokenOf(invoice);
      if (token !== undefined) await records.delete(keyOf(token));
      await store.change(ref, ({ share: _, ...present }) => present);
    },
    async find(token) {
      if (!TOKEN.test(token)) return undefined;
      const record = await records.get(keyOf(token));
      const ref = record && shareSchema.parse(JSON.parse(record.content));
      const invoice = ref && (await store.read(ref));
      const isShared = invoice !== undefined && tokenOf(invoice) === token;
      return isShared && now() < invoice.expiresAt + FOLLOWED_MS ? invoice : undefined;
    },
  };
}

/** Path of invoice pages below the public URL. */
export const PAGES_PATH = '/i';

/** Returns a function that returns the links of an invoice, or `undefined` without a token. */
export function createInvoiceLinks(deps: {
  tokenOf: Shares['tokenOf'];
  /** Available after Telegram was reached. */
  botName: () => string;
  publicUrl: string | undefined;
}): (invoice: Invoice) => InvoiceLinks {
  const { tokenOf, botName, publicUrl } = deps;
  return (invoice) => {
    const token = tokenOf(invoice);
    if (token === undefined) return undefined;
    const page = publicUrl === undefined ? {} : { page: `${publicUrl}${PAGES_PATH}/${token}` };
    return { token, chat: `https://t.me/${botName()}?start=invoice-${token}`, ...page };
  };
}
