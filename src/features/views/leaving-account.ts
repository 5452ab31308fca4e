import type { Link } from '../../accounts/links.ts';
import type { FeatureDeps } from '../../bot/feature.ts';
import type { Session } from '../../bot/session.ts';
import { lines, paragraphs, shortenAddress, type Words } from '../../i18n/texts.ts';
import { type Invoice, invoiceStateOf } from '../../invoices/invoice.ts';
import { isUnresolved, type Operation } from '../../operations/operation.ts';
import { isOrderKind, isRefundAwaited } from '../../operations/order-state.ts';
import { orTimeout } from '../../platform/async.ts';

const SUBSCRIPTIONS_TIMEOUT_MS = 3_000;
const MAX_LISTED = 5;
const PAGE_SIZE = 50;
/** Maximum operations that can be read in the time of a handler. */
const MAX_OPERATIONS = 1_000;

/** User whose link may end. `reader`: reader of the warnings. `draft`: open card of the user, if it is known. */
interface Leaving {
  user: number;
  linked: { link: Link; apiKey: string | undefined } | undefined;
  draft?: Session['draft'];
  reader: 'user' | 'admin';
}

/** Returns warnings, in Telegram's HTML, about things that end with the user's link or continue without it. */
export async function leavingWarnings(
  deps: FeatureDeps,
  words: Words,
  { user, linked, draft, reader }: Leaving,
): Promise<(string | false)[]> {
  const { operations, webhookSubscriptions, invoices, now } = deps;
  const own = linked?.link.usesOperatorAccount ? undefined : linked;
  const [isDraft, isReported, tracked, unfinished, subscriptions] = await Promise.all([
    draft !== undefined && operations.drafts.open({ user, id: draft.operation }),
    own !== undefined && webhookSubscriptions.isActive(own.link.account),
    linked === undefined ? [] : invoices.linkChanges.trackedInvoices({ user, account: linked.link.account }),
    operationsWarning(deps, words, { user, linked, reader }),
    own !== undefined && subscriptionsWarning(deps, words, own, reader),
  ]);
  return [
    unfinished,
    subscriptions,
    openInvoicesWarning(words, tracked, now()),
    isDraft !== undefined && isDraft !== false && words.html('leaving-draft'),
    isReported && words.html('leaving-reports', { reader }),
  ];
}

/** Returns a warning about invoices that can't be checked without the key, or `false` without any. */
function openInvoicesWarning(words: Words, invoices: readonly Invoice[], now: number): string | false {
  const count = invoices.length;
  if (count === 0) return false;
  return lines(
    words.html('unlink-invoices', { count }),
    ...limitList(
      words,
      invoices.map((one) => invoiceLineWithState(words, one, now)),
    ),
    words.html('unlink-invoices-after'),
  );
}

/** Returns an invoice's line in a warning. */
export function invoiceLine(words: Words, { number, priceTrx: trx, priceUsdt: usdt }: Invoice): string {
  return words.html('unlink-invoice', { number: String(number), trx, usdt });
}

export function invoiceLineWithState(words: Words, invoice: Invoice, now: number): string {
  return `${words.html(`invoices-${invoiceStateOf(invoice, now)}`)} · ${invoiceLine(words, invoice)}`;
}

/** Returns a user's {@link MAX_OPERATIONS} latest confirmed operations, latest first. */
async function operationsOfUser({ history }: FeatureDeps['operations'], user: number): Promise<Operation[]> {
  const all: Operation[] = [];
  let after: string | undefined;
  do {
    const page = await history.page(user, { size: PAGE_SIZE, after });
    all.push(...page.operations);
    after = page.older;
  } while (after !== undefined && all.length < MAX_OPERATIONS);
  return all;
}

async function operationsWarning(
  { operations }: FeatureDeps,
  words: Words,
  { user, linked, reader }: Pick<Leaving, 'user' | 'linked' | 'reader'>,
) {
  // The result of another account's operation depends on a key that isn't here any more.
  const isAffected = ({ account }: Operation) => linked === undefined || account === linked.link.account;
  const all = (await operationsOfUser(operations, user)).filter(isAffected);
  const { kinds } = operations;
  const open = all
    .filter(isUnresolved)
    .map((one) => named(one, words.html('operation-number', { id: one.id })));
  const checked = all.flatMap((one) => {
    const isChecked = isRefundAwaited(kinds, one) && one.result.status === 'failed';
    if (!isChecked) return [];
    const number = isOrderKind(kinds.of(one.request))
      ? words.html('operation-order', { order: String(one.result.order) })
      : words.html('operation-number', { id: one.id });
    return named(one, number);
  });
  function named({ request }: Operation, number: string): string {
    return `• ${kinds.of(request).title(words, request)} · ${number}`;
  }
  return (
    open.length + checked.length > 0 &&
    paragraphs(
      open.length > 0 && lines(words.html('leaving-operations', { reader }), ...limitList(words, open)),
      checked.length > 0 && lines(words.html('leaving-refunds', { reader }), ...limitList(words, checked)),
    )
  );
}

/** Subscriptions on the operator's account don't belong to the user. */
async function subscriptionsWarning(
  { accountReader }: FeatureDeps,
  words: Words,
  { link: { account }, apiKey }: { link: Link; apiKey: string | undefined },
  reader: Leaving['reader'],
) {
  const reading =
    apiKey === undefined
      ? undefined
      : accountReader.open({ account, apiKey }).read((reads) => reads.subscriptions());
  const read = reading && (await orTimeout(reading, SUBSCRIPTIONS_TIMEOUT_MS));
  if (read?.kind !== 'accepted') return words.html('leaving-subscriptions-unknown');
  const named = read.value
    .filter(({ status }) => status !== 'deactivated')
    .map(({ label, address, status }) =>
      words.html('leaving-subscription', { what: label || shortenAddress(address), status }),
    );
  return (
    named.length > 0 && lines(words.html('leaving-subscriptions', { reader }), ...limitList(words, named))
  );
}

/** Returns the first lines of a list, and how many more there are. */
export function limitList(words: Words, all: readonly string[]): string[] {
  const more = all.length - MAX_LISTED;
  return more > 0 ? [...all.slice(0, MAX_LISTED), words.html('list-more', { count: more })] : [...all];
}
