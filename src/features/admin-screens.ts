import type { InlineKeyboardButton } from 'grammy/types';
import type { AdminLogEntry } from '../accounts/admin-log.ts';
import { describeState } from '../bot/admin-views.ts';
import type { BotContext } from '../bot/context.ts';
import {
  eventDelays,
  eventFigures,
  latestEvents,
  latestRejections,
  outboxBacklogLine,
} from '../bot/event-lines.ts';
import { adminsOnly, changes, defineFeature, QUESTION_TTL_MS } from '../bot/feature.ts';
import { show } from '../bot/reply.ts';
import type { TextKey } from '../i18n/keys.ts';
import {
  escapeHtml,
  formatCount,
  formatDay,
  formatMoment,
  formatTimeWithSeconds,
  lines,
  paragraphs,
  type Words,
} from '../i18n/texts.ts';
import { kindText } from '../operations/kinds/kind.ts';
import { COUNTED_DAYS, type CountOf, SETTLED } from '../operations/queries.ts';
import { orTimeout } from '../platform/async.ts';
import { DAY_MS } from '../platform/clock.ts';
import { toPrintable } from '../rental-api/schemas.ts';
import { callbackData } from '../views/callback-data.ts';
import { button, pageButtons, type View, withAdminButtons } from '../views/view.ts';

const STATE = 'state';

type Turn = 'on' | 'off';

export const stateFeature = defineFeature((deps) => {
  const { maintenance, adminLog, notifyMaintenanceChange } = deps;

  async function read(words: Words): Promise<View> {
    const { html, isMaintenance } = await describeState(deps, words);
    // If the state can't be read, both buttons are shown.
    const turns: Turn[] = isMaintenance === undefined ? ['on', 'off'] : [isMaintenance ? 'off' : 'on'];
    const refresh = [button(words, 'button-refresh', callbackData(STATE, 'open'))];
    const switches = turns.map((turn) => [
      button(words, ASK_BUTTONS[turn], callbackData(STATE, `ask-${turn}`)),
    ]);
    return withAdminButtons(words, html, refresh, ...switches);
  }

  const ask = (turn: Turn) => async (ctx: BotContext) => {
    const { words } = ctx;
    const style = turn === 'on' ? 'danger' : 'success';
    const act = button(words, TURN_BUTTONS[turn], callbackData(STATE, `turn-${turn}`), style);
    const back = button(words, 'button-back', callbackData(STATE, 'open'));
    await show(ctx, { html: words.html(`maintenance-ask-${turn}`), keyboard: [[act], [back]] });
  };

  const switchTo = (turn: Turn) => async (ctx: BotContext) => {
    const { from, words, update } = ctx;
    if (from === undefined) return;
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

const ASK_BUTTONS: Record<Turn, TextKey> = {
  on: 'button-maintenance-ask-on',
  off: 'button-maintenance-ask-off',
};
const TURN_BUTTONS: Record<Turn, TextKey> = { on: 'button-maintenance-on', off: 'button-maintenance-off' };

const EVENTS = 'events';
const OPERATOR_TIMEOUT_MS = 1_500;

type Day = 'today' | 'yesterday';

export const eventsFeature = defineFeature((deps) => {
  const { eventMetrics, readOutboxBacklog, webhookSubscriptions, operator, operatorKey, hookUrl, now } = deps;

  /** Returns the line about the reports of the operator account's events, and the button that turns them on or off. */
  async function operatorReports(words: Words): Promise<{ html: string; buttons: InlineKeyboardButton[] }> {
    if (operatorKey === undefined || hookUrl === undefined) return { html: '', buttons: [] };
    const account = await orTimeout(operator.account(), OPERATOR_TIMEOUT_MS);
    const textOf = (reports: string) => words.html('events-operator', { reports });
    if (account === undefined) return { html: textOf('unknown'), buttons: [] };
    const isOn = await webhookSubscriptions.isActive(account);
    const reports = isOn ? 'on' : 'off';
    const text = words.plain('button-events-operator', { reports });
    const data = isOn ? callbackData('reports', 'operator-off', EVENTS) : callbackData('reports', 'operator');
    return { html: textOf(reports), buttons: [{ text, callback_data: data }] };
  }

  async function read(words: Words, day: Day): Promise<View> {
    const at = now();
    const isToday = day === 'today';
    const of = isToday ? at : at - DAY_MS;
    const [events, waiting, reports] = await Promise.all([
      eventMetrics.readDay(of),
      isToday ? readOutboxBacklog() : undefined,
      isToday ? operatorReports(words) : undefined,
    ]);
    const html = paragraphs(
      words.html('events-title', { day: formatDay(of, words.language), which: day }),
      eventFigures(words, events),
      lines(eventDelays(words, events), waiting && outboxBacklogLine(words, waiting)),
      reports?.html,
      latestEvents(words, events),
      latestRejections(words, events),
      words.html('events-as-of', { time: formatTimeWithSeconds(at) }),
    );
    const other = isToday ? 'yesterday' : 'today';
    const days = [
      button(words, 'button-refresh', callbackData(EVENTS, day)),
      button(words, `button-events-${other}`, callbackData(EVENTS, other)),
    ];
    return withAdminButtons(words, html, days, reports?.buttons ?? []);
  }

  const shown = (day: Day) => async (ctx: BotContext) => show(ctx, await read(ctx.words, day));

  return adminsOnly(deps, {
    name: EVENTS,
    button: 'button-events',
    command: { name: 'events', text: 'command-events' },
    open: shown('today'),
    buttons: { today: shown('today'), yesterday: shown('yesterday') },
  });
});

const OPERATIONS = 'operations';
const COUNTED_SPANS = [1, 7, COUNTED_DAYS] as const;

export const operationsFeature = defineFeature((deps) => {
  const { settledCounts, unresolved, kinds } = deps.operations;

  async function read(words: Words): Promise<View> {
    const at = deps.now();
    const [spans, open] = await Promise.all([settledCounts.upTo(at, COUNTED_SPANS), unresolved.list()]);
    const figures = kinds.all
      .map((kind) => outcomeLines(words, words.html(kindText(kind, 'filter')), kind.name, spans))
      .filter((figure) => figure !== '');
    const count = open.operations.length + open.unreadable;
    const html = paragraphs(
      words.html('operations-title', { day: formatDay(at, words.language) }),
      words.html('operations-spans'),
      ...(figures.length > 0 ? figures : [words.html('operations-none')]),
      words.html('operations-unresolved', { count: open.isMore ? `${count}+` : count }),
      words.html('events-as-of', { time: formatTimeWithSeconds(at) }),
    );
    return withAdminButtons(words, html, [
      button(words, 'button-refresh', callbackData(OPERATIONS, 'open')),
      button(words, 'button-unresolved', callbackData('unresolved', 'open')),
    ]);
  }

  return adminsOnly(deps, {
    name: OPERATIONS,
    button: 'button-operations',
    command: { name: 'operations', text: 'command-operations' },
    open: async (ctx) => show(ctx, await read(ctx.words)),
  });
});

/** Returns a line for each outcome that occurred, or an empty text. */
function outcomeLines(words: Words, title: string, kind: string, spans: readonly CountOf[]): string {
  const figures = SETTLED.map((outcome) => {
    const counts = spans.map((of) => of(kind, outcome));
    if (counts.every((count) => count === 0)) return undefined;
    const shown = counts.map((count) => `<b>${formatCount(count, words.language)}</b>`).join(' · ');
    return `${words.html('operations-outcome', { outcome })}: ${shown}`;
  });
  const text = lines(...figures);
  return text && lines(title, text);
}

const ADMIN_LOG = 'admin-log';
const LOG_PAGE_SIZE = 10;
/** Limits a subject so that ten entries fit in a message. */
const MAX_SUBJECT_LENGTH = 120;

export const adminLogFeature = defineFeature((deps) => {
  async function page(ctx: BotContext, after?: string): Promise<void> {
    const { words } = ctx;
    const { entries, older, isFirst } = await deps.adminLog.page(LOG_PAGE_SIZE, after);
    const html = paragraphs(
      words.html('admin-log-title'),
      ...entries.map((entry) => logEntry(words, entry)),
      entries.length === 0 && words.html('admin-log-empty'),
    );
    const pages = pageButtons(words, {
      newest: isFirst ? undefined : callbackData(ADMIN_LOG, 'open'),
      older: older === undefined ? undefined : callbackData(ADMIN_LOG, 'older', older),
    });
    await show(ctx, withAdminButtons(words, html, pages));
  }

  return adminsOnly(deps, {
    name: ADMIN_LOG,
    button: 'button-admin-log',
    command: { name: 'log', text: 'command-admin-log' },
    open: (ctx) => page(ctx),
    buttons: { older: page },
  });
});

function logEntry(words: Words, { at, admin, action, about }: AdminLogEntry): string {
  const what = words.html(`admin-act-${action}`);
  const subject = about === undefined ? '' : toPrintable(about, MAX_SUBJECT_LENGTH);
  return lines(
    words.html('admin-log-entry', { time: formatMoment(at, words.language), admin: String(admin) }),
    subject === '' ? what : `${what} · <code>${escapeHtml(subject)}</code>`,
  );
}
