import type { BotContext } from '../../bot/context.ts';
import { adminsOnly, changes, defineFeature, type FeatureDeps, QUESTION_TTL_MS } from '../../bot/feature.ts';
import { show } from '../../bot/reply.ts';
import {
  formatCount,
  formatMoment,
  formatSpan,
  formatTimeWithSeconds,
  lines,
  paragraphs,
  type Words,
} from '../../i18n/texts.ts';
import type { OutboxBacklog } from '../../notifications/outbox-store.ts';
import { SECOND_MS } from '../../platform/clock.ts';
import type { CallsSeen } from '../../platform/service-calls.ts';
import type { Storage } from '../../platform/storage.ts';
import { callbackData } from '../../views/callback-data.ts';
import { describeProblem, type HealthProblem } from '../../views/health-problem.ts';
import { button, type View, withAdminButtons } from '../../views/view.ts';
import { type Figure, readFigures } from '../views/figures.ts';
import { outboxBacklogLine } from './events.ts';

const STATE = 'state';

interface StateDeps extends FeatureDeps {
  state: StateSources;
  readOutboxBacklog: () => Promise<OutboxBacklog>;
  /** Notifies the other admins that maintenance was turned on or off, once per `id`. */
  notifyMaintenanceChange(turned: { turn: Turn; admin: number; id: string }): Promise<unknown>;
}

interface StateSources {
  rental: () => CallsSeen;
  telegram: () => CallsSeen;
  storage: Pick<Storage, 'checkWritable'>;
  /** Wait of a queue's oldest due item, in milliseconds; `undefined` if nothing is due. */
  overdue: Readonly<Record<'operations' | 'invoices' | 'erasures', () => Promise<number | undefined>>>;
  health: { problems(): Promise<HealthProblem[]>; checks: readonly unknown[] };
  version: string;
  /** Returns the age of this process in milliseconds. */
  upMs: () => number;
}

type Turn = 'on' | 'off';

export const stateFeature = defineFeature((deps: StateDeps) => {
  const { maintenance, adminLog, notifyMaintenanceChange } = deps;

  async function read(words: Words): Promise<View> {
    const { html, isMaintenance } = await describeState(deps, words);
    // If the state can't be read, both buttons are shown.
    const turns: Turn[] = isMaintenance === undefined ? ['on', 'off'] : [isMaintenance ? 'off' : 'on'];
    const refresh = [button(words, 'button-refresh', callbackData(STATE, 'open'))];
    const switches = turns.map((turn) => [
      button(words, `button-maintenance-ask-${turn}`, callbackData(STATE, `ask-${turn}`)),
    ]);
    return withAdminButtons(words, html, refresh, ...switches);
  }

  const ask = (turn: Turn) => async (ctx: BotContext) => {
    const { words } = ctx;
    const style = turn === 'on' ? 'danger' : 'success';
    const act = button(words, `button-maintenance-${turn}`, callbackData(STATE, `turn-${turn}`), style);
    const back = button(words, 'button-back', callbackData(STATE, 'open'));
    await show(ctx, { html: words.html(`maintenance-ask-${turn}`), keyboard: [[act], [back]] });
  };

  const switchTo = (turn: Turn) => async (ctx: BotContext) => {
    const { from, words, update } = ctx;
    ctx.tx.signal.throwIfAborted();
    const isOn = (await maintenance.find()) !== undefined;
    const isChanged = isOn !== (turn === 'on');
    if (isChanged) {
      // Before the change: when the update is handled again, the change may have been made already.
      await notifyMaintenanceChange({ turn, admin: from.id, id: String(update.update_id) });
      await adminLog.add(from.id, `maintenance-${turn}`, undefined, { update: update.update_id });
      ctx.tx.signal.throwIfAborted();
      await (turn === 'on' ? maintenance.turnOn(from.id) : maintenance.turnOff());
    }
    delete ctx.maintenance;
    await show(ctx, await read(words));
  };

  return adminsOnly(deps, {
    name: STATE,
    button: 'button-state',
    command: { name: 'state', text: 'command-state' },
    open: async (ctx) => show(ctx, await read(ctx.words)),
    buttons: {
      'ask-on': ask('on'),
      'ask-off': ask('off'),
      'turn-on': changes(switchTo('on'), QUESTION_TTL_MS),
      'turn-off': changes(switchTo('off'), QUESTION_TTL_MS),
    },
  });
});

/** Maximum number of problems that are shown, so that the text fits into a message. */
const MAX_PROBLEMS = 8;
/** Operations that fail because of a problem of the operator's key. Other errors of the check `service` concern all purchases. */
const FAILING: { [Problem in HealthProblem['problem']]?: string } = {
  'operator-key-refused': 'no-key',
  'operator-account-changed': 'other-account',
};
/** Age from which due work is late, in milliseconds. Processes check for due work every few seconds. */
const LATE_MS = 10 * SECOND_MS;

/** Reads and describes the state of the bot. `isMaintenance` is `undefined` if it couldn't be read. */
async function describeState(
  deps: StateDeps,
  words: Words,
): Promise<{ html: string; isMaintenance: boolean | undefined }> {
  const { state, paymentsGate, maintenance, readOutboxBacklog, operations } = deps;
  const { storage, overdue } = state;
  const pinging = performance.now();
  const { ping } = await readFigures({ ping: storage.checkWritable() });
  const pingMs = ping && { value: Math.max(1, Math.round(performance.now() - pinging)) };
  const [figures, late] = await Promise.all([
    readFigures({
      closed: paymentsGate.closedNow(),
      maintained: maintenance.find(),
      pending: operations.pendingSummary(),
      backlog: readOutboxBacklog(),
      problems: state.health.problems(),
    }),
    readFigures({
      operations: overdue.operations(),
      invoices: overdue.invoices(),
      erasures: overdue.erasures(),
    }),
  ]);
  const { closed, maintained, pending, backlog, problems } = figures;

  function paymentLines(): string {
    const by = closed === undefined ? 'unread' : (closed.value?.by ?? openState());
    const { since, admin } = maintained?.value ?? {};
    const isKnown = since !== undefined && admin !== undefined;
    const on = isKnown ? 'on' : 'on-unknown';
    const is = maintained?.value ? on : 'off';
    return lines(
      words.html('state-money', { by }),
      words.html('state-maintenance', {
        is: maintained === undefined ? 'unread' : is,
        admin: String(admin ?? ''),
        since: since === undefined ? '' : formatMoment(since, words.language),
      }),
    );
  }

  /** Returns what fails while payments are open. */
  function openState(): string {
    const found = problems?.value.find(({ check, severity }) => check === 'service' && severity === 'error');
    return found ? (FAILING[found.problem] ?? 'no-service') : 'open';
  }

  function healthLines(): string {
    const { length: count } = state.health.checks;
    if (problems === undefined) return words.html('state-checks-unread');
    const { value: found } = problems;
    if (found.length === 0) return words.html('state-checks-ok', { count });
    const failing = new Set(found.map(({ check }) => check)).size;
    const shown = found.slice(0, MAX_PROBLEMS).map(({ severity, since, replica = 'all', ...about }) =>
      words.html('state-check', {
        ...describeProblem(words, about),
        ...{ severity, replica, since: formatMoment(since, words.language) },
      }),
    );
    const more = found.length - shown.length;
    return lines(
      words.html('state-checks', { failing, count }),
      ...shown,
      more > 0 && words.html('state-checks-more', { more }),
    );
  }

  function queueLines(): string {
    const { inProgress = 0, uncertain = 0, isMore } = pending?.value ?? {};
    const going = isMore ? `${formatCount(inProgress, words.language)}+` : inProgress;
    const lateLine = ([queue, found]: [string, Figure<number | undefined>]) => {
      const ms = found?.value ?? 0;
      const is = ms < LATE_MS ? 'none' : 'late';
      const span = formatSpan(words, ms);
      return words.html('state-overdue', { queue, is: found === undefined ? 'unread' : is, span });
    };
    return lines(
      words.html('state-under-way', {
        is: pending === undefined ? 'unread' : 'read',
        going,
        uncertain,
      }),
      backlog ? outboxBacklogLine(words, backlog.value) : words.html('state-outbox-unread'),
      ...Object.entries(late).map(lateLine),
    );
  }

  function callLines(check: string, seen: CallsSeen): string {
    const { sinceSuccessMs, calls, failed, limited, lastFailed, medianMs } = seen;
    const ms = medianMs === undefined ? '–' : Math.round(medianMs);
    const isPassed = problems?.value.every((problem) => problem.check !== check);
    return lines(
      sinceSuccessMs !== undefined &&
        words.html('state-last-answer', {
          is: isPassed ? 'passed' : sinceSuccessMs < LATE_MS ? 'recent' : 'failing',
          ago: formatSpan(words, sinceSuccessMs),
        }),
      words.html('state-calls', { calls, failed, limited, ms }),
      lastFailed !== undefined &&
        words.html('state-last-failed', {
          endpoint: lastFailed.endpoint,
          reason: lastFailed.reason,
          ago: formatSpan(words, lastFailed.agoMs),
        }),
    );
  }

  const at = deps.now();
  const html = paragraphs(
    lines(words.html('state-title'), paymentLines()),
    healthLines(),
    lines(words.html('state-rental'), callLines('service', state.rental())),
    lines(words.html('state-telegram'), callLines('telegram-api', state.telegram())),
    lines(
      words.html('state-storage'),
      words.html('state-ping', pingMs ? { is: 'read', count: pingMs.value } : { is: 'unread' }),
    ),
    lines(words.html('state-waits'), queueLines()),
    words.html('state-process', { version: state.version, up: formatSpan(words, state.upMs()) }),
    words.html('events-as-of', { time: formatTimeWithSeconds(at) }),
  );
  return { html, isMaintenance: maintained && maintained.value !== undefined };
}
