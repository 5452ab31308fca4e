import type { Storage } from '../storage/storage.ts';
import type { InvoiceRef } from './invoice.ts';

const ACCOUNTS = 'invoices:accounts';
const MOST_ACCOUNTS = 10_000;
/** How many accounts are asked how long theirs wait. */
const ACCOUNTS_ASKED = 100;
/** Of so many that are looked at before others, one of the others has its turn too: so that none is forgotten. */
const SOON_PER_OTHER = 3;

/** When the service is asked for which invoice, by account: what holds one up holds up none of another. */
export interface LookIndex {
  put(account: number, ref: InvoiceRef, at: { inMs: number; soon: boolean }): Promise<void>;
  remove(account: number, ref: InvoiceRef): Promise<void>;
  /** Whose invoices are followed at all. */
  accounts(): Promise<number[]>;
  /** What has come due of an account, in the order in which it is to be asked for. */
  due(account: number, limit: number): Promise<InvoiceRef[]>;
  /** For how long what is due the longest has been, in milliseconds, of the accounts that began to wait first; `undefined` where nothing is due. */
  overdueMs(): Promise<number | undefined>;
}

export function createLookIndex({ storage }: { storage: Pick<Storage, 'index'> }): LookIndex {
  const { index } = storage;
  const soonOf = (account: number) => `invoices:soon:${account}`;
  const laterOf = (account: number) => `invoices:due:${account}`;
  const nameOf = ({ user, id }: InvoiceRef) => `${user}/${id}`;

  function refOf(name: string): InvoiceRef {
    const [user, id = ''] = name.split('/');
    return { user: Number(user), id };
  }

  async function isFollowed(account: number): Promise<boolean> {
    const any = await Promise.all([soonOf, laterOf].map((of) => index.last(of(account), 1)));
    return any.flat().length > 0;
  }

  return {
    async put(account, ref, { inMs, soon }) {
      const [here, there] = soon ? [soonOf, laterOf] : [laterOf, soonOf];
      await Promise.all([
        index.putIn(here(account), nameOf(ref), inMs),
        index.remove(there(account), nameOf(ref)),
      ]);
      // After it: whoever takes the account out meanwhile, as it had nothing left, looks once more.
      await index.putIn(ACCOUNTS, String(account), 0);
    },
    async remove(account, ref) {
      await Promise.all([soonOf, laterOf].map((of) => index.remove(of(account), nameOf(ref))));
      if (await isFollowed(account)) return;
      await index.remove(ACCOUNTS, String(account));
      if (await isFollowed(account)) await index.putIn(ACCOUNTS, String(account), 0);
    },
    async accounts() {
      return (await index.last(ACCOUNTS, MOST_ACCOUNTS)).map(Number);
    },
    async overdueMs() {
      const accounts = (await index.upTo(ACCOUNTS, Number.MAX_VALUE, ACCOUNTS_ASKED)).map(Number);
      const each = accounts.flatMap((account) => [soonOf, laterOf].map((of) => index.overdueMs(of(account))));
      const found = (await Promise.all(each)).filter((ms) => ms !== undefined);
      return found.length > 0 ? Math.max(...found) : undefined;
    },
    async due(account, limit) {
      const [soon, later] = await Promise.all([soonOf, laterOf].map((of) => index.due(of(account), limit)));
      return mixed(soon ?? [], later ?? [])
        .slice(0, limit)
        .map(refOf);
    },
  };
}

function mixed(soon: string[], later: string[]): string[] {
  const [first, rest] = [soon.slice(0, SOON_PER_OTHER), soon.slice(SOON_PER_OTHER)];
  if (first.length < SOON_PER_OTHER) return [...first, ...later];
  return later.length === 0 ? soon : [...first, later[0] ?? '', ...mixed(rest, later.slice(1))];
}
