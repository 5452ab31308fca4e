import type { Link } from '../../accounts/link.ts';
import type { WebhookLogEntry } from '../../rental/resources/webhook-log-entry.ts';
import { callbackData } from '../../texts/callback-data.ts';
import type { Words } from '../../texts/texts.ts';
import { button, lines, notice, paragraphs, type View } from '../../texts/view.ts';
import { latestFirst } from '../latest-first.ts';
import { loggedEventLines } from '../logged-event-lines.ts';
import { screen } from '../screen.ts';
import type { CreateFeature } from './feature-deps.ts';

const NAME = 'webhook-log';
const MOST = 8;

/** What the service sent about the account, wherever that went, and how it was answered. */
export const createWebhookLog: CreateFeature = (deps) => {
  const { hooks, hookUrl } = deps;

  async function view(words: Words, entries: WebhookLogEntry[], { account }: Link): Promise<View> {
    const goes = hookUrl === undefined ? 'nowhere' : (await hooks.isActive(account)) ? 'here' : 'elsewhere';
    const latest = latestFirst(
      entries.toSorted((one, other) => other.id - one.id),
      ({ created_at }) => created_at,
    );
    const html = paragraphs(
      lines(words.html('webhook-log-title'), words.html('webhook-log-about', { account: String(account) })),
      ...(latest.length > 0
        ? latest.slice(0, MOST).map((one) => loggedEventLines(words, one))
        : [words.html('webhook-log-none')]),
      latest.length > MOST && words.html('webhook-log-latest', { most: MOST }),
      words.html('webhook-log-goes', { goes }),
    );
    const switching = {
      here: [[button(words, 'button-reports-off', callbackData('reports', 'off', NAME))]],
      elsewhere: [[button(words, 'button-reports-on', callbackData('reports', 'open'))]],
      nowhere: [],
    }[goes];
    const back = [button(words, 'button-notifications', callbackData('notifications', 'open'))];
    return notice(words, html, ...switching, back);
  }

  return screen(deps, {
    name: NAME,
    menu: { button: 'button-webhook-log', place: 'more', for: 'linked' },
    command: { name: 'webhooklog', text: 'command-webhook-log' },
    read: (rental, apiKey) => rental.webhookLogs(apiKey),
    view,
  });
};
