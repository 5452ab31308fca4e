import { createHash, randomBytes } from 'node:crypto';
import { z } from 'zod';
import type { Seal } from '../platform/encryption.ts';
import { defineRecord, type SignedRecords } from '../platform/records.ts';
import { INVOICE_LIFETIME_MS } from '../rental-api/tron.ts';
import type { InvoiceLinks } from './card.ts';
import { type Invoice, type InvoiceRef, TRACKED_AFTER_EXPIRY_MS } from './invoice.ts';
import type { InvoiceStore } from './invoice-store.ts';

/** Each link has its own TTL, which ends with the link. `ttlMs` is that of a new invoice's link. */
export const SHARE = defineRecord({
  keys: 'share:hash',
  content: 'Invoice that a share link opens',
  schema: z.object({ user: z.number(), id: z.string() }),
  ttlMs: INVOICE_LIFETIME_MS + TRACKED_AFTER_EXPIRY_MS,
  expiry: 'a day after the invoice',
  signed: true,
  retained: { elsewhere: 'kept-money' },
});

/** 192 bits can't be guessed. */
const TOKEN_BYTES = 24;
const TOKEN = /^[\w-]{32}$/;
const PURPOSE = 'share';

export type Shares = ReturnType<typeof createShares>;

/**
 * Creates the links to invoices. A token is stored sealed for the invoice's maker, and as a hash for lookups.
 * Unknown, expired and revoked tokens give the same result.
 */
export function createShares(deps: {
  store: InvoiceStore;
  records: SignedRecords;
  seal: Seal;
  now: () => number;
}) {
  const { store, records, seal, now } = deps;
  const shares = records.store(SHARE);
  const shareRefOf = (token: string) => ({ hash: createHash('sha256').update(token).digest('base64url') });
  const sealContextOf = ({ user, id }: InvoiceRef) => ({ user, purpose: `${PURPOSE}:${id}` });
  const linkExpiryOf = (invoice: Invoice) => invoice.expiresAt + TRACKED_AFTER_EXPIRY_MS;
  /** Returns `undefined` without a link. */
  const tokenOf = (invoice: Invoice) =>
    invoice.share === undefined ? undefined : seal.open(invoice.share, sealContextOf(invoice));

  return {
    tokenOf,
    /** Returns the link's token, the same until it is revoked; `undefined` once it would have expired. */
    async share(ref: InvoiceRef): Promise<string | undefined> {
      const newToken = randomBytes(TOKEN_BYTES).toString('base64url');
      const invoice = await store.update(ref, (present) => {
        if (tokenOf(present) !== undefined || now() >= linkExpiryOf(present)) return undefined;
        return { ...present, share: seal.seal(newToken, sealContextOf(present)) };
      });
      const token = invoice && tokenOf(invoice);
      if (invoice === undefined || token === undefined) return undefined;
      const ttlMs = linkExpiryOf(invoice) - now();
      if (ttlMs <= 0) return undefined;
      // Writes also for an existing token: an earlier attempt may have failed before this step.
      const content = JSON.stringify({ user: ref.user, id: ref.id });
      await records.set(shares.keyOf(shareRefOf(token)), content, { ttlMs });
      return token;
    },
    async revoke(ref: InvoiceRef): Promise<void> {
      const invoice = await store.read(ref);
      const token = invoice && tokenOf(invoice);
      if (token !== undefined) await shares.delete(shareRefOf(token));
      await store.update(ref, ({ share: _, ...present }) => present);
    },
    async find(token: string): Promise<Invoice | undefined> {
      if (!TOKEN.test(token)) return undefined;
      const ref = await shares.get(shareRefOf(token));
      const invoice = ref && (await store.read(ref));
      const isCurrent = invoice !== undefined && tokenOf(invoice) === token;
      return isCurrent && now() < linkExpiryOf(invoice) ? invoice : undefined;
    },
  };
}

export const PAGES_PATH = '/i';

/** Creates a function that returns the links of an invoice, or `undefined` without a token. */
export function createInvoiceLinks(deps: {
  tokenOf: Shares['tokenOf'];
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
