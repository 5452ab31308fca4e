import { createHash, randomBytes } from 'node:crypto';
import { z } from 'zod';
import type { Seal } from '../platform/encryption.ts';
import type { SignedRecords } from '../platform/records.ts';
import type { InvoiceLinks } from './card.ts';
import { FOLLOWED_MS, type Invoice, type InvoiceRef } from './invoice.ts';
import type { InvoiceStore } from './invoice-store.ts';

/** What the keys of shared invoices begin with. */
export const SHARES = 'share:';

/** 192 bits: nobody finds one by guessing. */
const TOKEN_BYTES = 24;
const TOKEN = /^[\w-]{32}$/;
const PURPOSE = 'share';

const shareSchema = z.object({ user: z.number(), id: z.string() });

/**
 * Links to invoices. A link's token is random, kept only as a hash by which it is found, and sealed for who made the
 * invoice. It ends a day after the invoice; unknown, ended and revoked tokens are all the same.
 */
export interface Shares {
  /** The token of an invoice's link: the same one each time, until it is revoked. `undefined` where it is too late for one. */
  share(ref: InvoiceRef): Promise<string | undefined>;
  revoke(ref: InvoiceRef): Promise<void>;
  find(token: string): Promise<Invoice | undefined>;
  /** The token of its link, where it has one. */
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
      // Also where it was written before: an earlier try may not have come so far.
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

/** Where the page of an invoice is, below the public address. */
export const PAGES_PATH = '/i';

/** Where others open an invoice; nowhere without a token. */
export function createInvoiceLinks(deps: {
  tokenOf: Shares['tokenOf'];
  /** Known once Telegram was reached. */
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
