import { type Book, lookalike } from '../accounts/book.ts';
import type { OperationKind, OperationRequest } from '../operations/kinds/kind.ts';
import type { Operation } from '../operations/operation.ts';
import { notice } from '../texts/view.ts';
import { mayBeCodes } from './await-code.ts';
import type { BotContext } from './context.ts';
import { dialogue, ENDS, type Step } from './dialogue.ts';
import type { Feature, Handler } from './features/feature.ts';
import type { FeatureDeps } from './features/feature-deps.ts';
import { showEnded } from './flow-ended.ts';
import { knownAddresses } from './known-addresses.ts';
import { answersSchema, CARD, type MoneyState } from './money-state.ts';
import { CLOSED, unlessMaintained } from './nothing-new.ts';
import { formerCard, openCard } from './open-card.ts';
import { operatorObstacle } from './operator-obstacle.ts';
import type { Payer } from './quotes.ts';
import { readAhead } from './read-ahead.ts';
import { show } from './reply.ts';
import { answeredAhead, saidAhead } from './said-ahead.ts';
import { fundsStep, missingFunds } from './steps/funds.ts';
import { payerOf, showAccountNeeded } from './with-account.ts';

const FUNDS = 'funds';

/** Whose account it is about. */
type Holder = Pick<Payer, 'user' | 'account' | 'operators'>;

export interface MoneyFlow<Request extends OperationRequest, P extends Holder = Payer> {
  kind: OperationKind<Request>;
  /** Whose account is asked; the linked one unless it is said. */
  payer?(ctx: BotContext): Promise<P | undefined>;
  /** Raised whenever the steps change. */
  version: number;
  /** By name, the first one first; the last one leads to {@link CARD}. */
  steps: Readonly<Record<string, Step<MoneyState>>>;
  /** Where *Back* leads from the card, and from what is missing. */
  last: string;
  /** The same for a request that isn't asked for step by step. */
  lastOf?(request: Request): string | undefined;
  /** What the answers ask for; `undefined` while something is missing. */
  request(state: MoneyState): Request | undefined;
  /** The answers that ask for it; `afresh`: for a card in place of one that was just looked at. */
  answers(request: Request, afresh: boolean): Partial<MoneyState>;
  /** Moves the state on, or back to a question, before each question and before the card. */
  onward?(ctx: BotContext, payer: P, state: MoneyState): Promise<MoneyState>;
  /** Shows something in place of the card, where that must wait or isn't needed; answers whether it did. */
  hold?(ctx: BotContext, payer: P, request: Request): Promise<boolean>;
  /** Why this person can't have it done with this account, in Telegram's HTML: asked first, and again for each card. */
  guard?(ctx: BotContext, payer: P): Promise<string | undefined>;
  /** Adds what depends on the complete request: `known` is the user's address book, `account` the one that pays. */
  complete?(request: Request, about: { known: Book; account: number }): Request;
  /** TRX, decimal; `undefined` where nobody tells. Without it nothing is paid from a balance. */
  estimate?(payer: P, request: Request): Promise<string | undefined>;
}

/** A feature that moves money: its questions, price against balance, then the card that *Confirm* decides on. */
export function moneyFlow<Request extends OperationRequest, P extends Holder = Payer>(
  deps: FeatureDeps,
  about: MoneyFlow<Request, P> & Pick<Feature, 'name' | 'menu' | 'command'>,
): Feature & { open: Handler } {
  const { kind, version, steps, last, lastOf, request, answers, onward, hold, ...others } = about;
  const { guard, complete, estimate, payer: chosen, ...feature } = others;
  const payerIn = chosen ?? ((ctx: BotContext) => payerOf(deps, ctx) as Promise<P | undefined>);
  const [first = CARD] = Object.keys(steps);

  /** Nothing that was said behind a command is left out unheard. */
  function heardOut({ words }: BotContext, { said, ...state }: MoneyState): MoneyState {
    if (state.step !== CARD || !said) return { ...state, said };
    return { ...state, step: last, problem: words.html('problem-said-left', { left: said }) };
  }

  async function resolve(ctx: BotContext, asked: MoneyState): Promise<MoneyState> {
    const state = heardOut(ctx, asked);
    const payer = onward && state.problem === undefined ? await payerIn(ctx) : undefined;
    if (onward === undefined || payer === undefined) return checkFunds(ctx, state);
    // What was missing may be there by now: then its card is next.
    const at = state.step === FUNDS ? { ...state, step: CARD } : state;
    return checkFunds(ctx, await onward(ctx, payer, at));
  }

  /** Price against balance, as far as both are known: on to the card, or first to a deposit. */
  async function checkFunds(ctx: BotContext, state: MoneyState): Promise<MoneyState> {
    if ((state.step !== CARD && state.step !== FUNDS) || state.problem !== undefined) return state;
    const [payer, wanted, account] = [await payerIn(ctx), request(state), await payerOf(deps, ctx)];
    if (!estimate || !account || payer === undefined || wanted === undefined) return { ...state, step: CARD };
    const [price, balance] = await Promise.all([estimate(payer, wanted), deps.quotes.balance(account)]);
    const step = missingFunds(balance, price) === undefined ? CARD : FUNDS;
    return { ...state, estimate: price, balance, step };
  }

  async function showCard(ctx: BotContext, state: MoneyState): Promise<void> {
    const [payer, wanted] = [await payerIn(ctx), request(state)];
    if (payer === undefined || wanted === undefined) {
      await showAccountNeeded(deps, ctx);
      return;
    }
    const asked = { kind, payer, request: wanted, estimate: state.estimate };
    const why = (await guard?.(ctx, payer)) ?? (await operatorObstacle(deps, ctx, asked));
    if (why !== undefined) {
      await show(ctx, notice(ctx.words, why));
      return;
    }
    if (await hold?.(ctx, payer, wanted)) return;
    const [address, { user, account, operators }] = [kind.target(wanted), payer];
    const known = await knownAddresses(deps, ctx);
    const similar = lookalike(address, known);
    ctx.tx.signal.throwIfAborted();
    const [operation, former] = await Promise.all([
      deps.operations.drafts.draft({
        ...{ update: ctx.update.update_id, user, account, operators },
        language: ctx.words.language,
        request: complete?.(wanted, { known, account }) ?? wanted,
        estimate: state.estimate,
        balance: state.balance,
        lookalike: similar,
      }),
      formerCard(deps, ctx),
    ]);
    // This update came before, and its card was decided on already.
    if (operation.state !== 'draft') return;
    await openCard(deps, ctx, operation, former);
    if (kind.needsCode?.(wanted)) mayBeCodes(deps, ctx);
  }

  async function finish(ctx: BotContext, state: MoneyState): Promise<void> {
    if (state.step === CARD) await showCard(ctx, state);
    else if (state.step === ENDS.back) await deps.openMenu(ctx);
    else await showEnded(ctx, state.step);
  }

  const funds = fundsStep<MoneyState>({
    title: (words, state) => {
      const wanted = request(state);
      return wanted ? kind.title(words, wanted) : '';
    },
    async depositAddress(ctx) {
      const payer = await payerOf(deps, ctx);
      return payer && deps.quotes.depositAddress(payer);
    },
    back: last,
  });

  const asked = Object.fromEntries(
    Object.entries({ ...steps, [FUNDS]: funds }).map(([name, step]) => [name, answeredAhead(step)]),
  );
  const gate = readAhead(deps.paymentsGate.closed);

  async function begin(ctx: BotContext, start: MoneyState): Promise<void> {
    const [payer, why] = await Promise.all([payerIn(ctx), gate.of(ctx, '')]);
    if (payer === undefined) {
      await showAccountNeeded(deps, ctx);
      return;
    }
    const no = why ? ctx.words.html(CLOSED[why.by]) : await guard?.(ctx, payer);
    if (no !== undefined) await show(ctx, notice(ctx.words, no));
    else ctx.entering = { feature: feature.name, start: (await onward?.(ctx, payer, start)) ?? start };
  }

  return {
    ...feature,
    ahead: { open: gate.begin, to: gate.begin },
    open: (ctx) => begin(ctx, { step: first }),
    said: async (ctx, text) => begin(ctx, saidAhead(first, text, await knownAddresses(deps, ctx))),
    to: (ctx, address) => begin(ctx, { step: first, to: address }),
    flow: {
      version,
      ...unlessMaintained(deps, dialogue({ kept: answersSchema, steps: asked, resolve, finish })),
    },
    again: {
      kind: kind.name,
      start(asked: Operation['request'], at) {
        const wanted = kind.request.parse(asked);
        const step = at === 'last question' ? (lastOf?.(wanted) ?? last) : CARD;
        return { ...answers(wanted, at === 'fresh card'), step };
      },
    },
  };
}
