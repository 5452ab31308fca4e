import { BigNumber } from 'bignumber.js';
import type { InlineKeyboardButton } from 'grammy/types';
import { z } from 'zod';
import { findLookalike, findSavedName } from '../accounts/address-book.ts';
import { lines, paragraphs, withoutTags } from '../i18n/texts.ts';
import { readCommandText } from '../input/command-text.ts';
import { repetitionWarnings, targetLine } from '../operations/card.ts';
import type { OperationKind, OperationRequest } from '../operations/kinds/kind.ts';
import { type CardFees, smartMode } from '../operations/kinds/smart-mode.ts';
import type { Operation } from '../operations/operation.ts';
import type { Estimate } from '../operations/quotes.ts';
import { orTimeout } from '../platform/async.ts';
import { readJson } from '../platform/records.ts';
import type { ChatTransactions } from '../platform/storage.ts';
import type { SmartModeSubscription } from '../rental-api/schemas.ts';
import { textOf } from '../telegram/message-content.ts';
import { otherAccountView, waitingDeposits } from '../views/account-views.ts';
import { readAnswer } from '../views/callback-data.ts';
import { type View, withMenuButton } from '../views/view.ts';
import { depositAddressNote, payerOf, showAccountNeeded } from './accounts.ts';
import { addressBookOf } from './address-input.ts';
import type { BotContext, Payer } from './context.ts';
import {
  answerButton,
  applyAnswer,
  type DialogueState,
  dialogue,
  dialogueStateSchema,
  FLOW_ENDS,
  type Step,
  showFlowEnded,
} from './dialogue.ts';
import {
  CLOSED_FLOW,
  closedFor,
  type Feature,
  type FeatureDeps,
  isInMaintenance,
  type QuestionExample,
} from './feature.ts';
import { openCard, operatorRejectionText, readFormerCard } from './operation-card.ts';
import { show, showText } from './reply.ts';

/** Stored answers. Each operation kind uses those that it needs. Amounts of TRX are decimal strings. */
const moneyStateSchema = dialogueStateSchema.extend({
  address: z.string().optional(),
  amount: z.number().optional(),
  hours: z.number().optional(),
  /** Hours that the user asked for, if others replace them. */
  wantedHours: z.number().optional(),
  trx: z.string().optional(),
  all: z.boolean().optional(),
  /** Kind of the operation for which the balance was too low at the question about it. */
  unpaid: z.string().optional(),
  /** Price of that operation, in TRX. The message about a deposit says what is still missing. */
  unpaidTrx: z.string().optional(),
  label: z.string().optional(),
  guarantee: z.boolean().optional(),
  action: z.string().optional(),
  endsTyped: z.boolean().optional(),
  shared: z.boolean().optional(),
  note: z.string().optional(),
  /** Whether the words of `note` may be about the order instead. */
  isNoteUnclear: z.boolean().optional(),
  /** Text below the card or beside its address that may be meant as a note. */
  offeredNote: z.string().optional(),
  subscription: z.number().optional(),
  /** Id of the void card that the flow repeats. */
  voided: z.string().optional(),
  /** Estimate of the refused card that the flow repeats, in TRX (decimal). */
  formerEstimate: z.string().optional(),
  /** Address that the user gave before its question. */
  givenAddress: z.string().optional(),
  addressChoices: z.array(z.string()).optional(),
  /** Text after the command that no question has used yet. */
  remainingText: z.string().optional(),
});

export interface MoneyState extends DialogueState, z.infer<typeof moneyStateSchema> {
  /** Values that the service has just reported. Requested again for each card. */
  estimate?: string | undefined;
  /** Time of an old price behind `estimate`, in epoch milliseconds. */
  estimateAt?: number | undefined;
  balance?: string | undefined;
  /** The key of the account opens another one, so there is nothing to confirm. */
  isOtherAccount?: boolean | undefined;
  /** Daily limit in TRX of an account without two-factor codes. */
  cap?: string | undefined;
  /** Rest of `cap`, in TRX. */
  capLeft?: string | undefined;
  fees?: CardFees | undefined;
}

export const CARD = 'card';

const FUNDS = 'funds';

/** Timeout for reading subscriptions or deposits, in milliseconds. The view is shown without what they say then. */
const LIST_TIMEOUT_MS = 1_500;

type Holder = Pick<Payer, 'user' | 'account' | 'usesOperatorAccount'>;

interface MoneyFlow<Request extends OperationRequest, P extends Holder = Payer> {
  kind: OperationKind<Request>;
  /** Returns the account that the operation is about. By default it is the linked one. */
  payer?(ctx: BotContext): Promise<P | undefined>;
  version: number;
  /** Steps by name, in order. The last one leads to {@link CARD}. */
  steps: Readonly<Record<string, Step<MoneyState>>>;
  examples?: readonly QuestionExample[];
  /** Step that *Back* leads to, from the card and from the message about missing funds. */
  lastStep: string;
  /** Returns the step to use instead of `lastStep` for a request whose questions are different. */
  lastStepOf?(request: Request): string | undefined;
  /** Returns the request that the answers describe, or `undefined` while something is missing. */
  request(state: MoneyState): Request | undefined;
  /** Returns the answers that describe the request. `isReplacement`: the user has just seen such a card. */
  answersOf(request: Request, isReplacement: boolean): Partial<MoneyState>;
  /** Advances the state, or returns to a question. Called before each question and before the card. */
  nextStep?(ctx: BotContext, payer: P, state: MoneyState): Promise<MoneyState>;
  /** Shows something in place of the card if it must wait or isn't needed. Returns whether it did. */
  intercept?(ctx: BotContext, payer: P, request: Request): Promise<boolean>;
  /** Returns a view that explains why the account can't be used, or `undefined`. Called first, and for each card. */
  guard?(ctx: BotContext, payer: P): Promise<View | undefined>;
  /** Returns a known address that could be confused with this one. By default the address book is searched. */
  lookalikeOf?(ctx: BotContext, payer: P, address: string): Promise<string | undefined>;
  /** Adds what depends on the complete request. */
  complete?(request: Request, payer: P): Promise<Request>;
  /** Returns whether an active Smart Mode subscription of the account supplies its address with what is bought. */
  isSuppliedBy?(subscription: SmartModeSubscription): boolean;
  /** Adds the answers in the text beside the address. Without this function, the questions read that text. */
  readText?(ctx: BotContext, state: MoneyState, text: string): MoneyState;
  /** Returns whether the feature's button begins anew instead of returning to a question or card with these answers. */
  startsAnew?(state: MoneyState): boolean;
  /** Starts to read what later questions show. Called when the flow begins, which doesn't wait for it. */
  prepare?(ctx: BotContext, payer: P): void;
  /** Returns the price, if known. Without this function nothing is paid from a balance. */
  estimate?(payer: P, request: Request): Promise<Estimate | undefined>;
}

/** Creates a feature that moves money: its questions, the comparison of price and balance, and the card. */
export function moneyFlow<Request extends OperationRequest, P extends Holder = Payer>(
  deps: FeatureDeps,
  about: MoneyFlow<Request, P> & Pick<Feature, 'name' | 'menu' | 'command' | 'readCommand'>,
): Feature & Required<Pick<Feature, 'open' | 'flow'>> {
  const { kind, version, steps, lastStep, lastStepOf, request, answersOf, nextStep, intercept, ...others } =
    about;
  const { guard, lookalikeOf, complete, estimate, prepare, payer: choosePayer, examples, ...rest } = others;
  const { readText, isSuppliedBy, startsAnew, ...feature } = rest;
  const payerIn = choosePayer ?? ((ctx: BotContext) => payerOf(deps, ctx) as Promise<P | undefined>);
  const [first = CARD] = Object.keys(steps);

  function rejectUnusedText({ words }: BotContext, { remainingText, ...state }: MoneyState): MoneyState {
    if (state.step !== CARD || !remainingText) return { ...state, remainingText };
    return { ...state, step: lastStep, problem: words.html('problem-said-left', { left: remainingText }) };
  }

  async function resolve(ctx: BotContext, before: MoneyState): Promise<MoneyState> {
    const retried = rejectUnusedText(ctx, before);
    const payer = nextStep && retried.problem === undefined ? await payerIn(ctx) : undefined;
    if (nextStep === undefined || payer === undefined) return checkFunds(ctx, retried);
    // The missing data may be available now. Then the card is next.
    const at = retried.step === FUNDS ? { ...retried, step: CARD } : retried;
    return checkFunds(ctx, await nextStep(ctx, payer, at));
  }

  /** Compares price and balance if known. Leads to the card or the message about missing funds. */
  async function checkFunds(ctx: BotContext, state: MoneyState): Promise<MoneyState> {
    if ((state.step !== CARD && state.step !== FUNDS) || state.problem !== undefined) return state;
    const [payer, wantedRequest, account] = [await payerIn(ctx), request(state), await payerOf(deps, ctx)];
    if (!estimate || !account || payer === undefined || wantedRequest === undefined)
      return { ...state, step: CARD };
    const [price, balance] = await Promise.all([
      estimate(payer, wantedRequest),
      deps.quotes.balance(account),
    ]);
    if (typeof balance === 'object') return { ...state, step: CARD, isOtherAccount: true };
    const step = missingFunds(balance, price?.trx) === undefined ? CARD : FUNDS;
    const priced = { estimate: price?.trx, estimateAt: price?.at, balance };
    const [unpaid, unpaidTrx] = step === FUNDS ? [kind.name, price?.trx] : [];
    return { ...state, ...priced, step, unpaid, unpaidTrx };
  }

  async function showCard(ctx: BotContext, state: MoneyState): Promise<void> {
    const [payer, wantedRequest] = [await payerIn(ctx), request(state)];
    if (payer === undefined || wantedRequest === undefined) return void (await showAccountNeeded(deps, ctx));
    const isOperators = payer.usesOperatorAccount === true;
    if (state.isOtherAccount) return void (await show(ctx, otherAccountView(ctx.words, { isOperators })));
    const asked = { kind, payer, request: wantedRequest, estimate: state.estimate };
    const rejection = await guard?.(ctx, payer);
    if (rejection) return void (await show(ctx, rejection));
    const why = await operatorRejectionText(deps, ctx, asked);
    if (why !== undefined) return void (await showText(ctx, why));
    if (await intercept?.(ctx, payer, wantedRequest)) return;
    const [address, { user, account, usesOperatorAccount }] = [kind.target(wantedRequest), payer];
    const known = await addressBookOf(deps, ctx);
    const [lookalike, completed] = await Promise.all([
      lookalikeOf ? lookalikeOf(ctx, payer, address) : findLookalike(address, known),
      complete?.(wantedRequest, payer),
    ]);
    ctx.tx.signal.throwIfAborted();
    const [operation, former] = await Promise.all([
      deps.operations.drafts.draft({
        update: ctx.update.update_id,
        user,
        account,
        usesOperatorAccount,
        language: ctx.words.language,
        request: completed ?? wantedRequest,
        estimate: state.estimate,
        estimateAt: state.estimateAt,
        formerEstimate: state.formerEstimate,
        balance: state.balance,
        lookalike,
        voided: state.voided,
        wantedHours: state.wantedHours,
        earlier: deps.findEarlierPurchase(ctx.from.id, wantedRequest),
        isSupplied: isSupplied(ctx, account, address),
      }),
      readFormerCard(deps, ctx),
    ]);
    // This update was handled before, and its card has already been decided on.
    if (operation.state !== 'draft') return;
    await openCard(deps, ctx, operation, former);
  }

  /**
   * Returns whether Smart Mode supplies the address already, or `false` if the service doesn't respond in time. Reads the
   * subscriptions only of accounts with known fees: most have none, and would wait for each card.
   */
  async function isSupplied(ctx: BotContext, account: number, address: string): Promise<boolean> {
    if (!isSuppliedBy) return false;
    const { own } = await deps.operations.fees.recall(account, smartMode.name);
    const payer = Object.keys(own).length > 0 && (await payerOf(deps, ctx));
    if (!payer) return false;
    const reading = payer.read((reads) => reads.subscriptions()).catch(() => undefined);
    const listed = await orTimeout(reading, LIST_TIMEOUT_MS);
    return (
      listed?.kind === 'accepted' &&
      listed.value.some((one) => one.address === address && one.status === 'active' && isSuppliedBy(one))
    );
  }

  /** Returns the options of the card that aren't chosen, with the requests that they lead to. */
  function otherOptions({ words }: BotContext, state: MoneyState) {
    const wanted = request(state);
    const options = (wanted && kind.options?.(words, wanted)?.flat()) ?? [];
    return options.flatMap(({ label, value, isChosen }) => {
      const changed = isChosen ? undefined : wanted && kind.withOption?.(wanted, value);
      return changed ? [{ label, value, changed }] : [];
    });
  }

  /** Returns the options with a known price, as choices. A user may top up for another one. */
  async function pricedChoices(ctx: BotContext, state: MoneyState): Promise<InlineKeyboardButton[][]> {
    const payer = await payerIn(ctx);
    const choices = otherOptions(ctx, state).map(async ({ label, value, changed }) => {
      const price = payer && (await estimate?.(payer, changed))?.trx;
      return price ? [[answerButton(ctx.words.plain('button-option-priced', { label, price }), value)]] : [];
    });
    return (await Promise.all(choices)).flat();
  }

  async function finish(ctx: BotContext, state: MoneyState): Promise<void> {
    if (state.step === CARD) await showCard(ctx, state);
    else if (state.step === FLOW_ENDS.back) await deps.openMenu(ctx);
    else await showFlowEnded(ctx, state.step);
  }

  const amountStep = steps[OTHER_AMOUNT];
  const fundsChoices = ({ words }: BotContext) => [
    [answerButton(words.plain('button-check-again'), CHECK)],
    ...(amountStep ? [[answerButton(words.plain('button-other-amount'), OTHER_AMOUNT)]] : []),
  ];
  const funds: Step<MoneyState> = {
    mayShowToast: true,
    back: lastStep,
    onText: amountStep?.onText,
    choices: (ctx, state) => [
      ...otherOptions(ctx, state).map(({ label, value }) => [answerButton(label, value)]),
      ...fundsChoices(ctx),
    ],
    async ask(ctx, asked) {
      const { words } = ctx;
      // Asked again after a message that is no answer.
      const isRead = asked.balance !== undefined;
      const state = isRead ? asked : await checkFunds(ctx, { ...asked, problem: undefined });
      const { estimate = '0', balance = '0' } = state;
      const payer = await payerOf(deps, ctx);
      const [deposit, listed] = payer
        ? await Promise.all([
            deps.quotes.deposit(payer),
            orTimeout(
              payer.read((reads) => reads.deposits()),
              LIST_TIMEOUT_MS,
            ),
          ])
        : [];
      const address = deposit?.address;
      const waiting = listed?.kind === 'accepted' ? waitingDeposits(words, listed.value) : [];
      const missing = missingFunds(balance, estimate) ?? '0';
      // The text of the message may not have changed, so a toast says so.
      if (readAnswer(ctx.callbackQuery?.data) === CHECK)
        ctx.toast = words.plain('toast-funds', { missing, deposit: waiting.length > 0 ? 'waiting' : 'none' });
      const wanted = request(state);
      const [earlier, duplicate] = await Promise.all([
        wanted && deps.findEarlierPurchase(ctx.from.id, wanted),
        wanted && payer && deps.operations.drafts.warningOfDuplicate({ ...payer, request: wanted }),
      ]);
      const isTotal = kind.withdrawalAmount !== undefined;
      const html = paragraphs(
        words.html('funds-short'),
        repetitionWarnings(words, { ...duplicate, earlier }, deps.now()),
        // Only the deposit address can be copied.
        wanted && lines(kind.title(words, wanted), withoutTags(targetLine(words, kind, wanted))),
        lines(
          words.html('funds-price', { estimate, balance, missing, is: isTotal ? 'total' : 'price' }),
          ...waiting,
        ),
        payer && address && (await depositAddressNote(deps, ctx, { ...payer, address })),
        address
          ? words.html('funds-deposit', { address, rate: deposit?.usdtRate ?? 'none' })
          : words.html('funds-elsewhere'),
      );
      const copyButton = address && {
        text: words.plain('button-copy-address'),
        copy_text: { text: address },
      };
      const options = await pricedChoices(ctx, state);
      const buttons = [...(copyButton ? [[copyButton]] : []), ...options, ...fundsChoices(ctx)];
      return { html, buttons };
    },
    onChoice(ctx, state, value) {
      if (value === OTHER_AMOUNT) return { ...state, step: OTHER_AMOUNT };
      const chosen = otherOptions(ctx, state).find((one) => one.value === value);
      return chosen ? { ...state, ...answersOf(chosen.changed, false), step: CARD } : state;
    },
  };

  const asked = Object.fromEntries(
    Object.entries({ ...steps, [FUNDS]: funds }).map(([name, step]) => [name, answeredByCommandText(step)]),
  );
  const prefetch = (ctx: BotContext) => void closedFor(deps, ctx).catch(() => undefined);

  async function begin(ctx: BotContext, start: MoneyState): Promise<void> {
    const [payer, why] = await Promise.all([payerIn(ctx), closedFor(deps, ctx)]);
    if (payer === undefined) return void (await showAccountNeeded(deps, ctx));
    prepare?.(ctx, payer);
    const rejection = why
      ? withMenuButton(ctx.words, ctx.words.html(CLOSED_FLOW[why.by]))
      : await guard?.(ctx, payer);
    if (rejection) await show(ctx, rejection);
    else ctx.flowToEnter = { feature: feature.name, start: (await nextStep?.(ctx, payer, start)) ?? start };
  }

  const flow = dialogue({ stateSchema: moneyStateSchema, steps: asked, resolve, finish });
  return {
    ...feature,
    prefetch: { open: prefetch, to: prefetch },
    async open(ctx) {
      // The text that opens it may end with the name of an address: `send energy to Hot wallet`.
      const text = ctx.callbackQuery === undefined ? textOf(ctx.message) : '';
      const named = text === '' ? undefined : findSavedName(text, await addressBookOf(deps, ctx));
      await begin(ctx, { step: first, ...(named && { givenAddress: named.address }) });
    },
    async onCommandText(ctx, text) {
      const book = await addressBookOf(deps, ctx);
      const { said, to } = readCommandText(text, (words) => findSavedName(words, book));
      const state = { step: first, ...(to !== undefined && { givenAddress: to }) };
      await begin(ctx, readText?.(ctx, state, said) ?? { ...state, remainingText: said });
    },
    startWithAddress: (ctx, address, answers) =>
      begin(ctx, { ...answers, step: first, givenAddress: address }),
    flow: {
      version,
      examples,
      ...flow,
      ...(startsAnew && { startsAnew: (state: unknown) => startsAnew(state as MoneyState) }),
      questions: steps,
      async begin(ctx, start) {
        const wanted = request(start as MoneyState);
        const isOpen = wanted && kind.onlyEndsCosts?.(wanted);
        // A flow that is already open continues during maintenance.
        if (isOpen || ctx.flowToEnter?.isContinued || !(await isInMaintenance(deps, ctx)))
          return flow.begin(ctx, start);
        await showText(ctx, ctx.words.html('maintenance'));
        return { kind: 'ended' };
      },
    },
    restart: {
      kind: kind.name,
      start(asked: Operation['request'], at, { question = '', ...kept } = {}) {
        const wanted = kind.request.parse(asked);
        const asking = Object.hasOwn(steps, question) ? question : (lastStepOf?.(wanted) ?? lastStep);
        const step = at === 'question' ? asking : CARD;
        return { ...answersOf(wanted, at === 'fresh card'), step, ...kept };
      },
    },
  };
}

/** Wraps a step: the text after the command is its answer, and takes precedence over `stateIfKnown`. */
function answeredByCommandText(step: Step<MoneyState>): Step<MoneyState> {
  return {
    ...step,
    async stateIfKnown(ctx, state) {
      const { remainingText: text, ...before } = state;
      if (text && !step.asksForAddress) {
        if (!step.stateIfOmitted) return answerFromFewestWords(ctx, before, text);
        return { ...(await applyAnswer(ctx, before, step, { kind: 'text', text })), remainingText: '' };
      }
      const known = await step.stateIfKnown?.(ctx, state);
      return known ?? (text === undefined ? undefined : step.stateIfOmitted?.(state));
    },
  };

  /** Uses the fewest words that are an answer, with their unit. The last question uses all words. */
  async function answerFromFewestWords(ctx: BotContext, before: MoneyState, text: string) {
    const words = text.split(' ');
    let found: MoneyState | undefined;
    let last = before;
    for (let count = 1; count <= words.length; count++) {
      const next = words[count - 1] ?? '';
      // Three digits may continue a grouped number. Any other digits begin the next answer.
      if (found !== undefined && /^\d/.test(next) && !/^\d{3}$/.test(next)) break;
      const answer = { kind: 'text', text: words.slice(0, count).join(' ') } as const;
      last = await applyAnswer(ctx, before, step, answer);
      const left = words.slice(count).join(' ');
      const isWhole = left === '' || last.step !== CARD;
      if (last.problem === undefined && isWhole) found = { ...last, remainingText: left };
    }
    return found ?? last;
  }
}

const storedFundsSchema = z.object({
  state: z.object({ step: z.literal(FUNDS), unpaid: z.string(), unpaidTrx: z.string().optional() }),
});

/** Creates a function that returns the operation that waits for a deposit at a chat's open question. */
export function createUnpaidReader({ chats }: { chats: Pick<ChatTransactions, 'readConversation'> }) {
  return async (chat: number) => {
    const state = readJson(storedFundsSchema, await chats.readConversation(chat))?.state;
    return state && { kind: state.unpaid, estimate: state.unpaidTrx };
  };
}

const CHECK = 'again';
/** Answer that leads to the question of this name, if the flow has it. */
const OTHER_AMOUNT = 'amount';

/** Returns how much TRX is missing for `estimate`, or `undefined` if nothing is, or either isn't known. */
function missingFunds(balance: string | undefined, estimate: string | undefined): string | undefined {
  if (balance === undefined || estimate === undefined) return undefined;
  const missing = new BigNumber(estimate).minus(balance);
  return missing.gt(0) ? missing.toFixed() : undefined;
}
