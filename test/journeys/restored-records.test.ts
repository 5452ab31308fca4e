import { readFileSync } from 'node:fs';
import { expect, onTestFinished, test, vi } from 'vitest';
import type { AppOptions } from '../../src/composition.ts';
import { createMemoryStorage } from '../../src/platform/memory-storage.ts';
import { recordFormats } from '../../src/stored-data.ts';
import { serviceActions } from '../support/account-api.ts';
import { amongOthers, forget, goOn, settle } from '../support/forgetting.ts';
import { operationOf, type ShownMessage } from '../support/person.ts';
import { createManualWork, rememberTexts, type StoredText } from '../support/put-back.ts';
import {
  buyEnergy,
  linkAccount,
  linkOf,
  onFirstInvoice,
  setPrice,
  toCard,
  turnMaintenance,
  WATCHED,
} from '../support/steps.ts';
import { ADDRESS, ADMIN, GUEST, HOLDER, inWorld, MERCHANT, type World } from '../support/world.ts';

const TEST_MS = 600_000;
/** Checks that find work overdue which the test makes due, and measure again five seconds later. They send nothing else. */
const SEES_OVERDUE_WORK = ['health-outbox', 'health-queues'];

/** Returns the kind of record that a key belongs to, which is its prefix. */
function kindOf(key: string): string {
  const kinds = Object.keys(recordFormats()).toSorted((one, other) => other.length - one.length);
  return kinds.find((prefix) => key.startsWith(prefix)) ?? key;
}

async function resolveManually(world: World): Promise<void> {
  const [person, admin] = [world.person(MERCHANT), world.person(ADMIN)];
  await person.say('/settings');
  await person.tapAndRead('English', 'Language: English');
  await linkAccount(person, 'totp-key');
  await world.fault('GET /webhooks/logs', 'error-before', { times: 1_000 });
  world.loseEvents();
  const card = await toCard(person);
  // At another price than the card's, the balance proves nothing.
  await setPrice(world, '35');
  await world.fault('POST /energy/buy', 'cut-after');
  await person.confirm(card, 'Your balance has changed');
  await world.advance(60);
  const screen = await admin.ask('/unresolved', 'Oldest first');
  await admin.tapData(screen.message_id, `unresolved:one:${MERCHANT}_${operationOf(card)}`);
  await admin.shows(screen, 'Evidence');
  await admin.tapAndRead('✅ Went through', 'Why?');
  await admin.sayAndRead('seen on the chain', 'Review your decision');
  await admin.tap('✅ Went through');
  await person.shows(card, 'Support checked, this went through');
  await world.control('DELETE', '/rental/faults');
  world.loseEvents(false);
}

async function useTheOperatorAccount(world: World): Promise<void> {
  const admin = world.person(ADMIN);
  await admin.say('/operator');
  await admin.tapAndRead('Link it', 'Operator account linked');
  await admin.say('/operator');
  await admin.tapAndRead('Daily limit', 'How many TRX may all admins together spend');
  await admin.sayAndRead('200', 'of 200.00 TRX');
  await buyEnergy(admin, 'Bought');
}

/** Makes the service report an order that the bot hasn't made. */
async function orderElsewhere(world: World): Promise<void> {
  const order = { order_id: 9_001, energy_amount: 65_000, address: ADDRESS, status: 'filled' };
  await serviceActions(world).event('order.filled', order);
  await world.advance(60);
}

async function startSmartMode(world: World): Promise<void> {
  const person = world.person(HOLDER);
  const card = await person.sayAndRead(`/smart ${WATCHED}`, 'Review and confirm');
  await person.confirm(card, 'Smart Mode is on');
  // A question about the key of another account.
  await person.ask('/link', 'Now linked');
  await person.ask('totp-key', 'Replace the linked account?');
  await person.tapAndRead('Keep', 'Nothing changed');
}

async function endWhatIsOpen(world: World): Promise<void> {
  const admin = world.person(ADMIN);
  await admin.tapAndRead('Pause', 'Paused by');
  await admin.tapAndRead('Resume', 'Broadcast: sending');
  // The rate limit of Telegram lasts ten minutes.
  await world.control('DELETE', '/telegram/faults');
  await world.advance(601);
  await world.person(ADMIN).reads('📣 Broadcast: done');
  await onFirstInvoice(world, 'pay');
  await world.advance(60);
  await world.person(HOLDER).reads('Paid. ');
  await onFirstInvoice(world, 'delegate');
  await world.advance(60);
}

/** Returns the URL of the invoice page of a card, or an empty string. */
function pageOf(world: World, card: ShownMessage | undefined): string {
  const token = card && linkOf(card).split('invoice-')[1];
  return token === undefined ? '' : `${world.origin}/i/${token}`;
}

/** Returns whether an invoice page contains a payment address. */
async function isPayable(page: string): Promise<boolean> {
  return (await (await fetch(page)).text()).includes('id="address"');
}

/** Writes signed records of every kind, most of them several times. Returns the URL of an invoice page. */
async function liveThrough(world: World): Promise<string> {
  const guest = world.person(GUEST);
  let page = '';
  for (const part of [
    resolveManually,
    settle,
    goOn,
    orderElsewhere,
    startSmartMode,
    amongOthers,
    useTheOperatorAccount,
    // Takes longer than a receipt waits for the delivery.
    endWhatIsOpen,
  ]) {
    await part(world);
    if (part === settle) {
      page = pageOf(world, (await world.person(HOLDER).messages()).findLast(linkOf));
      expect(await isPayable(page)).toBe(true);
    }
    // A new process resets the flood limits.
    await world.restart();
  }
  await turnMaintenance(world.person(ADMIN), 'on');
  await turnMaintenance(world.person(ADMIN), 'off');
  await forget(guest);
  await guest.reads('Erased:');
  await world.settled();
  return page;
}

interface Call {
  method: string;
  params: { chat_id?: number; text?: string; caption?: string; media?: string };
}

/** Returns whether a call changes a chat. */
const isInChat = ({ method, params }: Call) => params.chat_id !== undefined && !method.startsWith('get');

/** Returns the first line of the text that a call shows in a chat, or the call's name if it shows none. */
function firstLine({ method, params: { text, caption, media } }: Call): string {
  const shown: string = text ?? caption ?? (media && JSON.parse(media).caption) ?? method;
  return shown.replace(/<[^>]*>/g, '').split('\n')[0] ?? '';
}

/** Effects of restoring earlier records. */
interface Effects {
  requests: string[];
  shown: Set<string>;
  isPagePayable: boolean;
}

/**
 * Returns the phrases that the security document lists: for each kind after a restore, and if related keys are deleted too;
 * and those that only all records together show.
 */
function documented(): { expected: Map<string, [string[], string[]]>; together: string[] } {
  const [, text = ''] = readFileSync('docs/security.md', 'utf8').split('### Replayed records\n');
  const [section = ''] = text.split('\n#');
  const rows = section.match(/^\| `.*$/gm) ?? [];
  const phrases = (cell = '') => [...cell.matchAll(/\*([^*]+)\*/g)].map(([, phrase = '']) => phrase);
  const expected = new Map(
    rows.flatMap((row) => {
      const [, names = '', putBack, besides] = row.split('|');
      const kinds = [...names.matchAll(/`([^`]+)`/g)].map(([, kind = '']) => kind);
      return kinds.map((kind): [string, [string[], string[]]] => [
        kind,
        [phrases(putBack), phrases(besides)],
      ]);
    }),
  );
  return { expected, together: phrases(/^Putting back all records.*$/m.exec(section)?.[0]) };
}

/** Returns the phrases that the texts contain, and each text that contains none. */
function matched(texts: ReadonlySet<string>, phrases: readonly string[]): string[] {
  const found = [...texts].map((text) => phrases.find((phrase) => text.includes(phrase)) ?? text);
  return [...new Set(found)].toSorted();
}

test(
  'a restored record has only the effects that the security document lists',
  async () => {
    let world: World | undefined;
    const now = () => world?.sandbox.clock.now() ?? Date.now();
    const memory = rememberTexts(createMemoryStorage({ now }));
    const appOptions: AppOptions = { storage: memory.storage };
    await inWorld({ appOptions, config: { rentalApiKey: 'operator-key' } }, async (made) => {
      world = made;
      const { requestLog, control, startApps, stopApps } = made;
      const page = await liveThrough(made);
      await stopApps();
      const signed = memory.signed();
      appOptions.wait = async () => undefined;
      // After this call, only `advance` moves the clock, regardless of the machine's speed.
      vi.useFakeTimers({ toFake: ['Date'], now: Date.now() });
      onTestFinished(() => void vi.useRealTimers());

      /** Restores these records and makes work with their IDs due, starts the bot, runs all due work, and stops the bot. */
      async function effectsOf(texts: readonly StoredText[], others?: 'deleted'): Promise<Effects> {
        const work = createManualWork();
        const startedAt = Date.now();
        appOptions.recurringWork = work.recurringWork;
        const requestsBefore = requestLog.length;
        await control('DELETE', '/telegram/calls');
        await memory.putBack(texts);
        if (others === 'deleted') await memory.deleteOthers(texts);
        await startApps();
        let isPagePayable = false;
        for (let times = 0; times < 4; times++) {
          // A chat gets at most one notification a second.
          vi.setSystemTime(Date.now() + 2_000);
          await memory.comeDue(texts);
          await work.runAll((name) => !SEES_OVERDUE_WORK.includes(name));
          isPagePayable ||= await isPayable(page);
        }
        await stopApps();
        vi.setSystemTime(startedAt);
        const shown = await control<Call[]>('GET', '/telegram/calls');
        return {
          requests: [...new Set(requestLog.slice(requestsBefore))].filter(
            (request) => !request.startsWith('GET '),
          ),
          shown: new Set(shown.filter(isInChat).map(firstLine)),
          isPagePayable,
        };
      }

      /** Yields earlier versions of these records: the first of each, and so on, always `step` versions later. */
      function* earlier(keys: readonly [string, string[]][], step: number): Generator<StoredText[]> {
        const longest = Math.max(...keys.map(([, versions]) => versions.length));
        for (let at = 0; at < longest; at += step) {
          const texts = keys.map(([key, versions]) => ({ key, text: versions[at] }));
          const changed = texts.filter(
            (one): one is StoredText => one.text !== undefined && end.get(one.key) !== one.text,
          );
          if (changed.length > 0) yield changed;
        }
      }

      // Finish what the journey left open.
      do await made.advance(61);
      while ((await effectsOf([])).shown.size > 0);
      // Leases of the last process expire.
      await made.advance(61);
      const end = await memory.now();
      const kinds = new Map<string, ReturnType<typeof memory.signed>>();
      for (const one of memory.signed())
        kinds.set(kindOf(one[0]), [...(kinds.get(kindOf(one[0])) ?? []), one]);
      expect([...kinds.keys()].toSorted()).toEqual(Object.keys(recordFormats()).toSorted());

      const { expected, together } = documented();
      expect([...expected.keys()].toSorted()).toEqual([...kinds.keys()].toSorted());
      const all = [...[...expected.values()].flat(2), ...together];
      // Notifications come first: sending them needs reads, and the service's rate limit applies to all kinds together.
      const kindsInOrder = [...kinds].toSorted(([kind]) => (kind === 'notification:' ? -1 : 0));
      for (const [kind, keys] of [...kindsInOrder, ['all', signed] as const]) {
        const putBack = new Set<string>();
        const besides = new Set<string>();
        for (const texts of earlier(keys, kind === 'all' ? 3 : 1)) {
          for (const [others, shown] of [
            [undefined, putBack],
            ['deleted', besides],
          ] as const) {
            const effects = await effectsOf(texts, others);
            expect({ kind, texts, ...effects }).toMatchObject({ requests: [], isPagePayable: false });
            for (const text of effects.shown) shown.add(text);
            await memory.restore(end);
          }
        }
        const [alone, withOthersDeleted] = expected.get(kind) ?? [all, all];
        const found = [
          matched(putBack, alone),
          matched(besides, [...alone, ...withOthersDeleted]).filter((one) => !alone.includes(one)),
        ];
        if (expected.has(kind))
          expect
            .soft(found, `shown after putting back ${kind}`)
            .toEqual([alone.toSorted(), withOthersDeleted.toSorted()]);
        else expect(found.flat().filter((text) => !all.includes(text))).toEqual([]);
      }
    });
  },
  TEST_MS,
);
