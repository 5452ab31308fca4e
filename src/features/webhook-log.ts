import type { Link } from '../accounts/links.ts';
import { readProblem, withAccount } from '../bot/accounts.ts';
import { latestFirst } from '../bot/address-views.ts';
import { loggedEventLines, payloadText } from '../bot/event-lines.ts';
import { type ButtonHandler, defineFeature } from '../bot/feature.ts';
import { show } from '../bot/reply.ts';
import { screen } from '../bot/screen.ts';
import type { Words } from '../i18n/texts.ts';
import { button, callbackData, inRows, lines, paragraphs, type View, withMenuButton } from '../i18n/view.ts';
import { orTimeout } from '../platform/retry.ts';
import type { WebhookLogEntry } from '../rental-api/schemas.ts';

const NAME = 'webhook-log';
const MAX_SHOWN = 8;
const PER_ROW = 4;
const WITHIN_MS = 5_000;

/**
 * Creates the feature that shows which events the service has sent about the account, to any URL, and the responses.
 */
export const webhookLogFeature = defineFeature((deps) => {
  const { webhookSubscriptions, hookUrl } = deps;

  async function view(words: Words, entries: WebhookLogEntry[], { account }: Link): Promise<View> {
    const goes =
      hookUrl === undefined
        ? 'nowhere'
        : (await webhookSubscriptions.isActive(account))
          ? 'here'
          : 'elsewhere';
    const latest = latestFirst(
      entries.toSorted((one, other) => other.id - one.id),
      ({ created_at }) => created_at,
    );
    const shown = latest.slice(0, MAX_SHOWN);
    const html = paragraphs(
      lines(words.html('webhook-log-title'), words.html('webhook-log-about', { account: String(account) })),
      ...(latest.length > 0
        ? shown.map((one, at) => `${at + 1}. ${loggedEventLines(words, one)}`)
        : [words.html('webhook-log-none')]),
      latest.length > MAX_SHOWN && words.html('webhook-log-latest', { most: MAX_SHOWN }),
      shown.length > 0 && words.html('webhook-log-pick'),
      words.html('webhook-log-goes', { goes }),
    );
    const switching = {
      here: [[button(words, 'button-reports-off', callbackData('reports', 'off', NAME))]],
      elsewhere: [[button(words, 'button-reports-on', callbackData('reports', 'open'))]],
      nowhere: [],
    }[goes];
    const back = [button(words, 'button-notifications', callbackData('notifications', 'open'))];
    const each = shown.map(({ id }, at) => ({
      text: String(at + 1),
      callback_data: callbackData(NAME, 'one', id),
    }));
    return withMenuButton(words, html, ...inRows(each, PER_ROW), ...switching, back);
  }

  /** Shows one entry with its payload. */
  const showOne: ButtonHandler = (ctx, id) =>
    withAccount(deps, ctx, async ({ apiKey }, { tail }) => {
      const { words } = ctx;
      const outcome = await orTimeout(deps.rental.webhookLogs(apiKey), WITHIN_MS);
      const found = outcome?.kind === 'accepted' && outcome.value.find((entry) => String(entry.id) === id);
      if (outcome?.kind !== 'accepted')
        return show(ctx, readProblem(words, { tail, again: callbackData(NAME, 'one', id) }, outcome));
      const all = button(words, 'button-webhook-log', callbackData(NAME, 'open'));
      const html = found
        ? paragraphs(loggedEventLines(words, found), payloadText(words, found.payload))
        : words.html('webhook-log-gone');
      return show(ctx, withMenuButton(words, html, [all]));
    });

  return screen(deps, {
    name: NAME,
    buttons: { one: showOne },
    menu: { button: 'button-webhook-log', place: 'more', for: 'linked' },
    command: { name: 'webhooklog', text: 'command-webhook-log' },
    read: (rental, apiKey) => rental.webhookLogs(apiKey),
    view,
  });
});
