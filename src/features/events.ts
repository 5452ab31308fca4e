import { adminsOnly } from '../bot/admins-only.ts';
import type { BotContext } from '../bot/context.ts';
import { eventDelays, eventFigures, latestEvents, latestRefusals, waitingLine } from '../bot/event-lines.ts';
import { defineFeature } from '../bot/feature.ts';
import { show } from '../bot/reply.ts';
import { formatDay, formatTimeWithSeconds } from '../i18n/formats.ts';
import type { Words } from '../i18n/texts.ts';
import { button, callbackData, lines, menuButton, paragraphs, type View } from '../i18n/view.ts';
import { orTimeout } from '../platform/retry.ts';

const NAME = 'events';
const DAY_MS = 24 * 3600_000;
/** Maximum time that the screen waits for the operator's account, in milliseconds. */
const OPERATOR_WITHIN_MS = 1_500;

type Day = 'today' | 'yesterday';

/**
 * Creates the feature that shows admins the service's events: how many came in, which were refused and why, and the
 * delays.
 */
export const eventsFeature = defineFeature((deps) => {
  const { eventMetrics, readOutboxBacklog, webhookSubscriptions, operator, operatorKey, hookUrl, now } = deps;

  /** Returns whether the operator's account reports here, or `undefined` if it can't. */
  async function operatorLine(words: Words) {
    if (operatorKey === undefined || hookUrl === undefined) return undefined;
    const account = await orTimeout(operator.account(), OPERATOR_WITHIN_MS);
    const reports =
      account === undefined ? 'unknown' : (await webhookSubscriptions.isActive(account)) ? 'on' : 'off';
    const html = words.html('events-operator', { account: String(account), reports });
    if (account === undefined) return { html };
    const asks =
      reports === 'on' ? callbackData('reports', 'operator-off', NAME) : callbackData('reports', 'operator');
    return { html, asks: { text: words.plain('button-events-operator', { reports }), callback_data: asks } };
  }

  async function read(words: Words, day: Day): Promise<View> {
    const at = now();
    const of = day === 'today' ? at : at - DAY_MS;
    const [events, waiting, operators] = await Promise.all([
      eventMetrics.readDay(of),
      day === 'today' ? readOutboxBacklog() : undefined,
      day === 'today' ? operatorLine(words) : undefined,
    ]);
    const html = paragraphs(
      words.html('events-title', { day: formatDay(of, words.language), which: day }),
      eventFigures(words, events),
      lines(eventDelays(words, events), waiting && waitingLine(words, waiting)),
      operators?.html,
      latestEvents(words, events),
      latestRefusals(words, events),
      words.html('events-as-of', { time: formatTimeWithSeconds(at) }),
    );
    const asked = operators?.asks ? [[operators.asks]] : [];
    return { html, keyboard: [turning(words, day), ...asked, wayUp(words)] };
  }

  /** Returns the buttons for both days. Each one reads its day again. */
  function turning(words: Words, day: Day) {
    const other = day === 'today' ? 'yesterday' : 'today';
    return [
      button(words, 'button-refresh', callbackData(NAME, day)),
      button(words, `button-events-${other}`, callbackData(NAME, other)),
    ];
  }

  const wayUp = (words: Words) => [
    button(words, 'button-admin', callbackData('menu', 'admin')),
    menuButton(words),
  ];

  const shown = (day: Day) => async (ctx: BotContext) => show(ctx, await read(ctx.words, day));

  return adminsOnly(deps, {
    name: NAME,
    button: 'button-events',
    command: { name: 'events', text: 'command-events' },
    open: shown('today'),
    buttons: { today: shown('today'), yesterday: shown('yesterday') },
  });
});
