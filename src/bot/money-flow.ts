import { type Book, lookalike } from '../accounts/address-book.ts';
import { notice } from '../i18n/view.ts';
import type { OperationKind, OperationRequest } from '../operations/kinds/kind.ts';
import type { Operation } from '../operations/operation.ts';
import { payerOf, showAccountNeeded } from './accounts.ts';
import { knownAddresses } from './address-views.ts';
import type { BotContext } from './context.ts';
import { showEnded } from './conversations.ts';
import { dialogue, ENDS, type Step } from './dialogue.ts';
import type { Feature, Handler } from './feature.ts';
import type { FeatureDeps } from './feature-deps.ts';
import { answeredAhead, commandArguments } from './middleware/commands.ts';
import { CLOSED, unlessMaintained } from './middleware/error-boundary.ts';
import { answersSchema, CARD, type MoneyState } from './money-state.ts';
import { formerCard, mayBeCodes, openCard } from './open-card.ts';
import { operatorObstacle } from './operator-obstacle.ts';
import type { Payer } from './quotes.ts';
import { readAhead } from './read-ahead.ts';
import { show } from './reply.ts';
import { fundsStep, missingFunds } from './steps/amounts.ts';

const FUNDS = 'funds';

/** Account that the operation is about, and its user. */
type Holder = Pick<Payer, 'user' | 'account' | 'operators'>;

export interface MoneyFlow<Request extends OperationRequest, P extends Holder = Payer> {
  kind: OperationKind<Request>;
  /** Returns the account that the operation is about. By default it is the linked one. */
  payer?(ctx: BotContext): Promise<P | undefined>;
  /** Increased whenever the steps change. */
  version: number;
  /** Steps by name, in order. The last one leads to {@link CARD}. */
  steps: Readonly<Record<string, Step<MoneyState>>>;
  /** Step that *Back* leads to, from the card and from the message about missing funds. */
  last: string;
  /** Returns that step for a request whose questions are different. */
  lastOf?(request: Request): string | undefined;
  /** Returns the request that the answers describe, or `undefined` while something is missing. */
  request(state: MoneyState): Request | undefined;
  /** Returns the answers that describe the request. `afresh`: for a card that replaces one that the user just saw. */
  answers(request: Request, afresh: boolean): Partial<MoneyState>;
  /** Advances the state, or returns to a question. Called before each question and before the card. */
  onward?(ctx: BotContext, payer: P, state: MoneyState): Promise<MoneyState>;
  /** Shows something in place of the card if the card must wait or isn't needed. Returns whether it did. */
  hold?(ctx: BotContext, payer: P, request: Request): Promise<boolean>;
  /**
   * Returns why this user can't use the account for this, in Telegram's HTML. Called first, and again for each card.
   */
  guard?(ctx: BotContext, payer: P): Promise<string | undefined>;
  /** Adds what depends on the complete request. `known` is the user's address book, `account` the one that pays. */
  complete?(request: Request, about: { known: Book; account: number }): Request;
  /**
   * Returns the price in TRX, decimal, or `undefined` if it is unknown. Without this function nothing is paid from a
   * balance.
   */
  estimate?(payer: P, request: Request): Promise<string | undefined>;
}

/** Creates a feature that moves money: its questions, the comparison of price and balance, and the card to confirm. */
export function moneyFlow<Request extends OperationRequest, P extends Holder = Payer>(
  deps: FeatureDeps,
  about: MoneyFlow<Request, P> & Pick<Feature, 'name' | 'menu' | 'command'>,
): Feature & { open: Handler } {
  const { kind, version, steps, last, lastOf, request, answers, onward, hold, ...others } = about;
  const { guard, complete, estimate, payer: chosen, ...feature } = others;
  const payerIn = chosen ?? ((ctx: BotContext) => payerOf(deps, ctx) as Promise<P | undefined>);
  const [first = CARD] = Object.keys(steps);

  /** Returns to the last question if a part of the command's text wasn't used. */
  function heardOut({ words }: BotContext, { said, ...state }: MoneyState): MoneyState {
    if (state.step !== CARD || !said) return { ...state, said };
    return { ...state, step: last, problem: words.html('problem-said-left', { left: said }) };
  }

  async function resolve(ctx: BotContext, asked: MoneyState): Promise<MoneyState> {
    const state = heardOut(ctx, asked);
    const payer = onward && state.problem === undefined ? await payerIn(ctx) : undefined;
    if (onward === undefined || payer === undefined) return checkFunds(ctx, state);
    // The missing data may be available now. Then the card is next.
    const at = state.step === FUNDS ? { ...state, step: CARD } : state;
    return checkFunds(ctx, await onward(ctx, payer, at));
  }

  /** Compares price and balance if both are known, and leads to the card or to the message about missing funds. */
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
    // This update was handled before, and its card has already been decided on.
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
    said: async (ctx, text) => begin(ctx, commandArguments(first, text, await knownAddresses(deps, ctx))),
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
