import type { BotContext } from '../../bot/context.ts';
import { adminsOnly, defineFeature } from '../../bot/feature.ts';
import { show } from '../../bot/reply.ts';
import {
  formatAmount,
  formatCount,
  formatDay,
  formatTimeWithSeconds,
  lines,
  paragraphs,
  type Words,
} from '../../i18n/texts.ts';
import { kindText, type OperationKind } from '../../operations/kinds/kind.ts';
import { type OperationFigures, SETTLED } from '../../operations/queries.ts';
import { COUNTED_DAYS } from '../../platform/daily-figures.ts';
import { formatTrx, trxFromSun } from '../../rental-api/tron.ts';
import { callbackData } from '../../views/callback-data.ts';
import { renderTable } from '../../views/tables.ts';
import { button, filterButton, type View, withAdminButtons } from '../../views/view.ts';
import { UNRESOLVED } from '../views/admin-operation.ts';

const OPERATIONS = 'operations';
const TODAY = 1;
const PERIODS_DAYS = [TODAY, 7, COUNTED_DAYS] as const;

/**
 * Number of completed operations of a kind, and the TRX that they moved, in sun. `estimatedSun` is the part of it that only
 * cards have named, `unpriced` the number of operations that it lacks.
 */
interface KindTurnover {
  kind: OperationKind;
  count: number;
  sun: number;
  estimatedSun: number;
  unpriced: number;
}

export const operationsFeature = defineFeature((deps) => {
  const { figures, unresolved, kinds } = deps.operations;

  async function read(words: Words, days: number): Promise<View> {
    const at = deps.now();
    const [figureOf, paymentsOf, open] = await Promise.all([
      figures.during(at, days),
      deps.invoices.paymentsDuring(at, days),
      unresolved.list(),
    ]);
    const amount = (sun: number) => formatAmount(formatTrx(trxFromSun(sun)), words.language);
    const count = (number: number) => formatCount(number, words.language);

    // Invoices count when paid, not when created.
    const turnovers = kinds.all.map((kind): KindTurnover => {
      const ofInvoices = (figure: 'paid' | 'sun') =>
        paymentsOf('guest', figure) + paymentsOf('account', figure);
      return kind.isTrackedElsewhere
        ? { kind, count: ofInvoices('paid'), sun: ofInvoices('sun'), estimatedSun: 0, unpriced: 0 }
        : turnoverOf(kind, figureOf);
    });
    const spent = turnovers.filter(({ kind }) => kind.withdrawalAmount === undefined);
    const turnover = sumOf(spent.map(({ sun }) => sun));
    const isEstimated = spent.some(({ estimatedSun }) => estimatedSun > 0);
    const fromOperator = sumOf(kinds.all.map(({ name }) => figureOf(name, 'operatorSun')));

    function amountOf({ sun, estimatedSun, unpriced }: KindTurnover): string {
      if (sun === 0 && unpriced > 0) return '?';
      return estimatedSun > 0 ? `≈ ${amount(sun)}` : amount(sun);
    }

    function turnoverTable(): string {
      const rows = turnovers
        .filter((row) => row.count !== 0 || row.sun !== 0)
        .map((row) => [nameOf(words, row.kind), count(row.count), amountOf(row)]);
      const head = ['', words.plain('operations-done'), 'TRX'];
      return rows.length > 0
        ? renderTable(['shrinking', 'right', 'right'], [head, ...rows])
        : words.html('operations-none');
    }

    function outcomeLine(outcome: Exclude<(typeof SETTLED)[number], 'done'> | 'unclear'): string {
      const counts = kinds.all.flatMap((kind) => {
        const number = figureOf(kind.name, outcome);
        return number === 0 ? [] : [`${nameOf(words, kind)} ${count(number)}`];
      });
      return counts.length === 0
        ? ''
        : words.html('operations-outcome', { outcome, counts: counts.join(' · ') });
    }

    const failedInvoices = paymentsOf('guest', 'failed') + paymentsOf('account', 'failed');
    const unpriced = sumOf(turnovers.map((row) => row.unpriced));
    const unresolvedCount = open.operations.length + open.unreadable;
    const html = paragraphs(
      words.html('operations-title', { days, day: formatDay(at, words.language) }),
      lines(
        words.html('operations-spent', {
          trx: formatTrx(trxFromSun(turnover - fromOperator)),
          sum: isEstimated ? 'estimated' : 'exact',
        }),
        words.html('operations-guests', {
          count: paymentsOf('guest', 'paid'),
          trx: formatTrx(trxFromSun(paymentsOf('guest', 'sun'))),
        }),
        fromOperator > 0 && words.html('operations-operator', { trx: formatTrx(trxFromSun(fromOperator)) }),
      ),
      turnoverTable(),
      lines(
        ...SETTLED.filter((outcome) => outcome !== 'done').map(outcomeLine),
        outcomeLine('unclear'),
        failedInvoices > 0 && words.html('operations-invoices-failed', { count: failedInvoices }),
        unpriced > 0 && words.html('operations-unpriced', { count: unpriced }),
        turnovers.some(({ estimatedSun }) => estimatedSun > 0) && words.html('operations-estimated'),
      ),
      words.html('operations-unresolved', {
        count: open.isMore ? `${unresolvedCount}+` : unresolvedCount,
      }),
      lines(words.html('operations-note'), words.html('events-as-of', { time: formatTimeWithSeconds(at) })),
    );
    const periods = PERIODS_DAYS.map((period) =>
      filterButton(
        words.plain('operations-period', { days: period }),
        callbackData(OPERATIONS, 'last', period),
        period === days,
      ),
    );
    return withAdminButtons(words, html, periods, [
      button(words, 'button-refresh', callbackData(OPERATIONS, 'last', days)),
      button(words, 'button-unresolved', callbackData(UNRESOLVED, 'open')),
    ]);
  }

  const showPeriod = async (ctx: BotContext, days: number) => show(ctx, await read(ctx.words, days));

  return adminsOnly(deps, {
    name: OPERATIONS,
    button: 'button-operations',
    command: { name: 'operations', text: 'command-operations' },
    open: (ctx) => showPeriod(ctx, TODAY),
    buttons: {
      last: (ctx, days) => showPeriod(ctx, PERIODS_DAYS.find((period) => String(period) === days) ?? TODAY),
    },
  });
});

type FigureOf = Awaited<ReturnType<OperationFigures['during']>>;

function turnoverOf(kind: OperationKind, figureOf: FigureOf): KindTurnover {
  const { name } = kind;
  const estimatedSun = figureOf(name, 'estimatedSun');
  return {
    kind,
    count: figureOf(name, 'done'),
    sun: figureOf(name, 'sun') + estimatedSun,
    estimatedSun,
    unpriced: figureOf(name, 'unpriced'),
  };
}

const sumOf = (numbers: readonly number[]) => numbers.reduce((sum, number) => sum + number, 0);

function nameOf(words: Words, kind: OperationKind): string {
  return words.plain(kindText(kind, 'filter'));
}
