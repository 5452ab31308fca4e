import { orTimeout } from '../or-timeout.ts';
import type { Rental } from '../rental/client.ts';
import { isUnexpectedReply, type Outcome } from '../rental/outcome.ts';
import type { WebhookConfiguration } from '../rental/resources/webhook-configuration.ts';
import { isStrong } from '../rental/webhook.ts';
import type { Turns } from '../storage/turns.ts';
import type { EventHooks } from './event-hooks.ts';

/**
 * Why a change of the account's URL isn't confirmed: the service refused it, its reply was `unexpected`, or its reply was
 * lost (`unclear`).
 */
export type NotConfigured = { kind: 'refused'; reason: string } | { kind: 'unexpected' | 'unclear' };

/**
 * - `on`: the account's events come here from now on.
 * - `was-on`: they did before, and it was asked for only `once`: nothing was changed.
 * - `weak`: the service gave a secret that isn't believed. Its URL is ours, and none of its events is taken.
 * - `busy`: it is being changed just now, by somebody else who holds the account or by an earlier wish.
 */
export type TurnedOn = { kind: 'on' | 'was-on' | 'weak' | 'busy' } | NotConfigured;

/**
 * - `off`: the service has removed the URL.
 * - `stays`: nothing is taken here any more, and at the service there may still be our URL.
 * - `was-off`: nothing was taken here, so what is set at the service is none of ours, and left alone.
 * - `busy`: as above; nothing was changed.
 */
export type TurnedOff = { kind: 'off' | 'was-off' | 'busy' } | { kind: 'stays'; why: NotConfigured };

export interface EventReceiving {
  /**
   * Has the service post the account's events to a new hook, in place of the one URL that the account has
   * (specification, section 6). Nothing is believed until the service's answer is stored: a process that is killed, or
   * an update that is cut off (`signal`), between both leaves a URL at the service whose events are refused, and it can
   * be turned on again. What was believed before stays believed until then.
   */
  turnOn(about: {
    account: number;
    apiKey: string;
    hookUrl: (hook: string) => string;
    signal: AbortSignal;
    once?: boolean;
  }): Promise<TurnedOn>;
  /** Has the service remove the URL first, for its answer is what is said; whatever that is, nothing is taken here then. */
  turnOff(about: { account: number; apiKey: string; withinMs?: number }): Promise<TurnedOff>;
}

/** In milliseconds: with what else an update does, within the time that it has. */
const WITHIN_MS = 6_000;

type Configured = Outcome<WebhookConfiguration> | undefined;
type Ask = (apiKey: string, url: string, withinMs?: number) => Promise<Configured>;

/**
 * Who receives an account's events: one configuration for all who hold it. Changes come one after another, on all
 * replicas: of two at once the service would keep the URL of one, and the bot perhaps the secret of the other.
 * What the service answers is a value; it rejects only where the storage is away.
 */
export function createEventReceiving(deps: {
  hooks: EventHooks;
  rental: Pick<Rental, 'configureWebhook'>;
  turns: Turns;
}): EventReceiving {
  const { hooks, rental, turns } = deps;

  /**
   * Does `work` in the account's turn. Nobody waits for a service that hangs, but the turn lasts as long as the request:
   * one that lands late would undo what came after it.
   */
  function inTurn<Result>(account: number, work: (ask: Ask) => Promise<Result>) {
    return new Promise<Result | { kind: 'busy' }>((resolve, reject) => {
      let result: Result | { kind: 'busy' } = { kind: 'busy' };
      let asking: Promise<unknown> | undefined;
      const ask: Ask = (apiKey, url, withinMs = WITHIN_MS) => {
        const configuring = rental.configureWebhook(apiKey, url);
        return orTimeout(configuring, withinMs, () => {
          asking = configuring;
          return undefined;
        });
      };
      const whole = async () => {
        result = await work(ask);
        if (asking) resolve(result);
        await asking;
      };
      turns.take(`receiving:${account}`, whole).then(() => resolve(result), reject);
    });
  }

  return {
    turnOn: ({ account, apiKey, hookUrl, signal, once = false }) =>
      inTurn<TurnedOn>(account, async (ask) => {
        if (once && (await hooks.isActive(account))) return { kind: 'was-on' };
        const hook = hooks.invent();
        const configured = await ask(apiKey, hookUrl(hook));
        if (configured?.kind !== 'accepted') return notConfigured(configured);
        if (signal.aborted) return { kind: 'unclear' };
        if (!isStrong(configured.value.secret)) {
          // The service posts to the new URL by now: what was said of reports that come is wrong.
          await hooks.deactivate(account);
          return { kind: 'weak' };
        }
        await hooks.activate(hook, account, configured.value.secret);
        return { kind: 'on' };
      }),

    turnOff: ({ account, apiKey, withinMs }) =>
      inTurn<TurnedOff>(account, async (ask) => {
        if (!(await hooks.isActive(account))) return { kind: 'was-off' };
        const configured = await ask(apiKey, '', withinMs);
        await hooks.deactivate(account);
        if (configured?.kind === 'accepted' && isRemoved(configured.value)) return { kind: 'off' };
        return { kind: 'stays', why: notConfigured(configured) };
      }),
  };
}

function isRemoved({ url, active }: WebhookConfiguration): boolean {
  return url === '' || !active;
}

function notConfigured(configured: Configured): NotConfigured {
  if (configured?.kind === 'rejected' || configured?.kind === 'not-sent')
    return { kind: 'refused', reason: configured.message };
  return { kind: isUnexpectedReply(configured) ? 'unexpected' : 'unclear' };
}
