import { ADMIN_ACTION_RECORD, type AdminAction } from '../../src/accounts/admin-log.ts';
import { createUsers } from '../../src/accounts/users.ts';
import type { Config } from '../../src/config.ts';
import { prefixOf } from '../../src/platform/records.ts';
import { demoSeed, type Seed } from '../../src/sandbox/rental/state.ts';
import { retainedKinds } from '../../src/stored-data.ts';
import { serviceActions } from '../support/account-api.ts';
import { compose, toEverybody } from '../support/broadcasting.ts';
import { forget } from '../support/forgetting.ts';
import { fixedPart } from '../support/locales.ts';
import { findButton, type Person, type ShownMessage } from '../support/person.ts';
import { signedRecords } from '../support/records.ts';
import {
  buyEnergy,
  codeNow,
  linkAccount,
  linkOf,
  linkWithEvents,
  onFirstInvoice,
  setPrice,
  TARGET,
  toActivationCard,
  toBandwidthCard,
  toCard,
  toCode,
  toHeldCard,
  toHold,
  toInvoiceCard,
  toSmartModeCard,
  toWithdrawalCard,
  WATCHED,
} from '../support/steps.ts';
import { keysTagged } from '../support/tagged.ts';
import { ADDRESS, ADMIN, GUEST, HOLDER, MERCHANT } from '../support/world.ts';
import { operationsOf } from './checks.ts';
import type { SimulatedWorld } from './world.ts';

/** Actions of users, and what must be true after them whichever fault is injected. */
export interface Scenario {
  name: string;
  /** Settings that differ from the usual ones. */
  config?: Partial<Config>;
  /** Initial state of the service, if it differs from the demo. */
  seed?: Seed;
  /** Runs without faults, also operations that come before. Returns the actions during which faults strike. */
  prepare(world: SimulatedWorld): Promise<() => Promise<unknown>>;
  /**
   * Counts what the service has executed, such as entries of its ledger, not what state it is in now: a second execution
   * may take the first one back. Executions before counting began are subtracted (`takeBaseline`). Absent if
   * the user confirms no operation.
   */
  executed?(world: SimulatedWorld): Promise<number>;
  /** First words of the card once it is done. */
  done?: string;
  /** First words of the card if it is refused: the usual ones unless given. */
  refused?: string;
  /**
   * The operation may be refused although the service executed its request, and may be confirmed again: an invoice that
   * is never shown is never paid.
   */
  isSafeToRepeat?: true;
  /**
   * The actions must finish despite the fault, or the bot must tell the user to try again. The second try must then
   * succeed: the same actions, unless a function is given. Give one if the first try may have used a button that works
   * only once, or may have taken effect.
   */
  mustFinish?: true | ((world: SimulatedWorld) => Promise<unknown>);
  /** Returns missing and wrong notifications, and other wrong effects for users, at the end. Changes nothing. */
  check?(world: SimulatedWorld): Promise<string[]>;
  /** Chats that may get messages. */
  chats: readonly number[];
  /** States that some schedule must reach. */
  reaches: readonly string[];
}

const MINUTE_MS = 60_000;
const TWO_MINUTES_MS = 120_000;
const TEN_MINUTES_MS = 600_000;
const FRESH_ADDRESS = 'TW9ZU7M77dAebvjw9d3bVNbKY9EteZyP1V';
/** Text that the bot treats as an API key in every message. */
const LONG_KEY = 'rk4f9Tz27Qm1Xw8Lb3Vc6Ny5Ha0Gd';
const RECIPIENTS = 30;
/** No number of another person. */
const FIRST_RECIPIENT = 10_000;

/** Reached if a fault disturbed the bot in each of these ways. */
const DISTURBED = ['takeover', 'duplicate-delivery', 'stale-write'];
const CONFIRMED = ['claimed', 'sent', 'done', 'refused', ...DISTURBED];

/** Counts the entries of a kind in the service's ledger. */
const inLedger = (kind: string) => async (world: SimulatedWorld) =>
  (await world.rental()).ledger.filter((entry) => entry.kind === kind).length;

const hasSaid = async (person: Person, words: string | RegExp): Promise<boolean> =>
  (await person.messages()).some(({ from, text, caption }) => {
    const said = text ?? caption ?? '';
    return from === 'bot' && (typeof words === 'string' ? said.includes(words) : words.test(said));
  });

/** An account holder confirms the card of a flow. */
function confirmation(
  about: Pick<Scenario, 'name' | 'executed' | 'refused'> & {
    done: string;
    apiKey?: string;
    toCard: (person: Person, world: SimulatedWorld) => Promise<ShownMessage>;
    /** Button that confirms. Default: *Confirm*. */
    button?: string;
    /** Typed after *Confirm*. */
    code?: () => string;
  },
): Scenario {
  const { name, done, refused, apiKey, button = fixedPart('button-confirm'), code } = about;
  return {
    name,
    done,
    ...(about.executed && { executed: about.executed }),
    ...(refused && { refused }),
    chats: [HOLDER],
    reaches: [...CONFIRMED, 'unknown'],
    async prepare(world) {
      const person = await linkAccount(world.person(HOLDER), apiKey);
      const card = await about.toCard(person, world);
      return async () => {
        await person.tap(button);
        if (code) {
          await person.shows(card, fixedPart('operation-awaiting'));
          await person.say(code());
        }
        await person.shows(card, done);
      };
    },
  };
}

/** Waits ten minutes after a new address was announced. */
async function toAnnouncedCard(person: Person, world: SimulatedWorld): Promise<ShownMessage> {
  await toHold(person);
  await world.passes(TEN_MINUTES_MS);
  return toHeldCard(person);
}

/** Opens the list of a subscription that was started without the bot. A tap on *Pause 1* confirms its pause. */
async function toPauseButton(person: Person, world: SimulatedWorld): Promise<ShownMessage> {
  await world.service('POST', '/smart-mode/activate', { address: WATCHED, bw_guarantee: true });
  return person.sayAndRead('/smart', 'with bandwidth');
}

/** An invoice from *Confirm* to delivery. `open` brings its card to the payer and returns it. */
function invoice(
  about: Pick<Scenario, 'name' | 'config' | 'chats'> & {
    /** Text of the confirmed card: a guest's card becomes the invoice, and has its number in each state. */
    done: string;
    maker: number;
    payer: number;
    toCard: (maker: Person) => Promise<ShownMessage>;
    open: (own: ShownMessage, payer: Person) => Promise<ShownMessage>;
  },
): Scenario {
  const { name, config, chats } = about;
  return {
    name,
    ...(config && { config }),
    chats,
    done: about.done,
    isSafeToRepeat: true,
    reaches: CONFIRMED,
    executed: async (world) => (await world.rental()).invoices.length,
    async prepare(world) {
      const [maker, payer] = [world.person(about.maker), world.person(about.payer)];
      const draft = await about.toCard(maker);
      return async () => {
        await maker.confirm(draft, about.done);
        const own = await maker.reads(/ TRX or \d/, { message_id: draft.message_id - 1 });
        const shown = await about.open(own, payer);
        await onFirstInvoice(world, 'pay');
        await payer.shows(shown, fixedPart('invoice-paid'));
        await onFirstInvoice(world, 'delegate');
        await payer.shows(shown, fixedPart('invoice-delivered'));
      };
    },
    async check(world) {
      const [made] = (await world.rental()).invoices;
      if (made?.status !== 'delegated') return [];
      const untold = [];
      for (const chat of new Set([about.maker, about.payer]))
        if (!(await hasSaid(world.person(chat), fixedPart('invoice-delivered'))))
          untold.push(`the card in chat ${chat} doesn't say that the invoice was delivered`);
      if (!(await hasSaid(world.person(about.maker), /Delivered:|Send your USDT by/)))
        untold.push('the one who made the invoice was not notified of its delivery');
      return untold;
    },
  };
}

/** Something happens at the account of a user whose chat gets its events. */
function event(
  name: string,
  words: string,
  prepare: (world: SimulatedWorld, person: Person) => Promise<() => Promise<unknown>>,
  reaches: Scenario['reaches'] = DISTURBED,
): Scenario {
  return {
    name,
    chats: [HOLDER],
    reaches,
    async prepare(world) {
      const person = await linkWithEvents(world.person(HOLDER));
      const happen = await prepare(world, person);
      return async () => {
        await happen();
        await person.reads(words);
      };
    },
    check: async (world) =>
      (await hasSaid(world.person(HOLDER), words)) ? [] : [`the chat never said “${words}”`],
  };
}

const isLinked = async (world: SimulatedWorld) => (await world.storage.get(`link:{${HOLDER}}`)) !== undefined;

/** Returns a problem if the service still sends events of the demo account and the user wasn't told. */
async function eventsStillCome(world: SimulatedWorld): Promise<string[]> {
  const webhook = (await world.rental()).accounts.find(({ key }) => key === 'demo-key')?.webhook;
  const isTold = await hasSaid(world.person(HOLDER), fixedPart('reports-left-stays'));
  return webhook?.active && !isTold ? ['the service still sends its events, and the user was not told'] : [];
}

/** Kinds of keys that an erasure leaves. */
const MAY_STAY = retainedKinds();

const usersOf = ({ storage }: SimulatedWorld) =>
  createUsers({ storage, records: signedRecords(storage), now: Date.now });

const isBanned = async (world: SimulatedWorld) => (await usersOf(world).find(HOLDER))?.isBanned ?? false;

/** Returns a problem unless the admin log lists exactly one entry of this kind. */
async function unlessLoggedOnce(world: SimulatedWorld, act: AdminAction): Promise<string[]> {
  const ids = await world.storage.index.last('admin-log', 100);
  const texts = await Promise.all(
    ids.map((id) => world.storage.get(`${prefixOf(ADMIN_ACTION_RECORD)}${id}`)),
  );
  const entries = texts.filter((text) => text?.includes(`"action":"${act}"`)).length;
  return entries === 1 ? [] : [`the admin log has ${entries} entries of ${act}`];
}

/** Brings an admin to the question whether to ban the account holder. */
async function toBanQuestion(world: SimulatedWorld): Promise<ShownMessage> {
  const admin = world.person(ADMIN);
  const { message_id = 0 } = await admin.say('/people');
  await admin.reads(fixedPart('people-unreachable'), { message_id });
  await admin.tapAndRead(fixedPart('button-person'), fixedPart('people-ask'), { message_id });
  await admin.sayAndRead(String(HOLDER), '👤 User', { message_id });
  return admin.tapAndRead(fixedPart('button-ban'), fixedPart('person-ban-ask'), { message_id });
}

/** Brings an admin to the question whether to turn maintenance on. */
async function toMaintenanceQuestion(world: SimulatedWorld): Promise<ShownMessage> {
  const admin = world.person(ADMIN);
  const { message_id = 0 } = await admin.say('/state');
  await admin.reads(fixedPart('state-process'), { message_id });
  return admin.tapAndRead(fixedPart('button-maintenance-ask-on'), fixedPart('maintenance-ask-on'), {
    message_id,
  });
}

const isInMaintenance = async (world: SimulatedWorld) =>
  (await world.storage.get('maintenance')) !== undefined;

/** Brings an admin to the decision on the only unresolved operation. */
async function toDecision(world: SimulatedWorld): Promise<ShownMessage> {
  const admin = world.person(ADMIN);
  const [operation] = await operationsOf(world);
  const { message_id = 0 } = await admin.say('/unresolved');
  const list = await admin.reads(fixedPart('unresolved-open'), { message_id });
  await admin.tapData(list.message_id, `unresolved:one:${HOLDER}_${operation?.id}`);
  await admin.shows(list, fixedPart('admin-operation-evidence'));
  await admin.tapAndRead(fixedPart('button-went-through'), fixedPart('unresolved-why'), { message_id });
  return admin.sayAndRead('seen on the chain', fixedPart('unresolved-check'), { message_id });
}

export const SCENARIOS: readonly Scenario[] = [
  confirmation({
    name: 'buy-energy',
    toCard: (person) => toCard(person),
    done: fixedPart('energy-done'),
    executed: inLedger('energy'),
  }),
  confirmation({
    name: 'buy-bandwidth',
    toCard: (person) => toBandwidthCard(person),
    done: fixedPart('energy-done'),
    executed: inLedger('bandwidth'),
  }),
  confirmation({
    name: 'activate-address',
    toCard: (person) => toActivationCard(person, FRESH_ADDRESS),
    done: fixedPart('activation-done'),
    executed: inLedger('activation'),
  }),
  confirmation({
    name: 'start-smart-mode',
    toCard: (person) => toSmartModeCard(person),
    done: fixedPart('smart-mode-is-start'),
    refused: fixedPart('smart-mode-refused'),
    executed: async (world) =>
      (await world.rental()).subscriptions.filter(({ address }) => address === WATCHED).length,
  }),
  confirmation({
    name: 'pause-smart-mode',
    toCard: toPauseButton,
    button: 'Pause 1',
    done: fixedPart('smart-mode-is-pause'),
    refused: fixedPart('smart-mode-refused'),
    // A second request would resume the subscription.
    executed: async (world) =>
      (await inLedger('smart_mode_pause')(world)) + (await inLedger('smart_mode_resumption')(world)),
  }),
  confirmation({
    name: 'withdraw-with-code',
    apiKey: 'totp-key',
    toCard: (person) => toWithdrawalCard(person),
    code: codeNow,
    done: fixedPart('withdrawal-done'),
    executed: inLedger('withdrawal'),
  }),
  {
    name: 'withdraw-after-wrong-code',
    done: fixedPart('withdrawal-done'),
    executed: inLedger('withdrawal'),
    chats: [HOLDER],
    reaches: CONFIRMED,
    async prepare(world) {
      const person = await linkAccount(world.person(HOLDER), 'totp-key');
      const first = await toCode(person);
      return async () => {
        await person.say('000000');
        const card = await person.reads(fixedPart('operation-code-from'), first);
        await world.passes(MINUTE_MS);
        await person.confirm(card, fixedPart('operation-awaiting'));
        await person.say(codeNow());
        await person.shows(card, fixedPart('withdrawal-done'));
      };
    },
  },
  confirmation({
    name: 'withdraw-without-code',
    toCard: toAnnouncedCard,
    done: fixedPart('withdrawal-done'),
    executed: inLedger('withdrawal'),
  }),
  {
    name: 'answer-questions',
    chats: [HOLDER],
    mustFinish: true,
    reaches: ['draft', ...DISTURBED],
    async prepare(world) {
      const person = await linkAccount(world.person(HOLDER));
      return async () => {
        const { message_id = 0 } = await person.say('/bandwidth');
        const below = (part: string) => person.reads(part, { message_id });
        await below(fixedPart('bandwidth-address'));
        await person.say(ADDRESS);
        await below(fixedPart('bandwidth-amount'));
        // Would be a valid answer to the next question too.
        await person.say('500');
        await below(fixedPart('bandwidth-duration'));
        // During this time, a delayed write of an earlier answer arrives.
        await world.passes(TWO_MINUTES_MS);
        await person.say('24');
        await below('500 bandwidth · 24 h');
      };
    },
  },
  invoice({
    name: 'guest-invoice',
    done: '\nInvoice ',
    config: { rentalApiKey: 'operator-key' },
    chats: [GUEST],
    maker: GUEST,
    payer: GUEST,
    toCard: (person) => toInvoiceCard(person),
    open: async (own) => own,
  }),
  invoice({
    name: 'merchant-invoice',
    done: fixedPart('invoice-done'),
    chats: [HOLDER, GUEST],
    maker: HOLDER,
    payer: GUEST,
    async toCard(person) {
      await linkWithEvents(person, 'merchant-key');
      return toInvoiceCard(person, { note: 'Order 17' });
    },
    async open(own, payer) {
      await payer.follow(linkOf(own));
      return payer.reads('Pay ');
    },
  }),
  event('event-deposit', '100.00 TRX credited', async (world) => () => serviceActions(world).deposit('100')),
  event(
    'event-unknown-type',
    'P-1-P',
    async (world) => () => serviceActions(world).event('promo.won', { prize: 'P-1-P' }),
  ),
  event('event-order', 'Energy delivered', async (world, person) => {
    await buyEnergy(person, fixedPart('operation-price'));
    const [order] = (await world.rental()).orders;
    return () => world.control('POST', `/rental/orders/${order?.order_id}/fill`);
  }),
  event('event-smart-mode', `For ${WATCHED}`, async (world, person) => {
    const card = await toSmartModeCard(person);
    await person.confirm(card, fixedPart('operation-left'));
    const { id } = (await world.rental()).subscriptions.find(({ address }) => address === WATCHED) ?? {};
    return () => world.control('POST', `/rental/smart-mode/${id}/transfer`, { amount: '10' });
  }),
  event(
    'event-withdrawal',
    '25.00 TRX is being sent',
    async (world) => () =>
      world.service('POST', '/account/withdrawal', { to_address: TARGET, amount_trx: '25' }),
    // The service sends no event of it: the bot finds it in the list of withdrawals.
    ['takeover'],
  ),
  {
    name: 'link-account',
    chats: [HOLDER],
    mustFinish: true,
    seed: {
      accounts: demoSeed().accounts.map((account, at) =>
        at === 0 ? { ...account, key: LONG_KEY } : account,
      ),
    },
    reaches: DISTURBED,
    prepare: async (world) => () => linkAccount(world.person(HOLDER), LONG_KEY),
    async check(world) {
      const messages = await world.person(HOLDER).messages();
      const shown = messages.some(({ from, text }) => from === 'person' && text === LONG_KEY);
      const isAdvised = await hasSaid(
        world.person(HOLDER),
        /couldn't delete (your message|it)|delete it first/,
      );
      return [
        ...((await isLinked(world)) ? [] : ['the account is not linked']),
        ...(shown && !isAdvised ? ['the key stays in the chat, and its user was not told'] : []),
      ];
    },
  },
  {
    name: 'unlink-account',
    chats: [HOLDER],
    mustFinish: true,
    reaches: DISTURBED,
    async prepare(world) {
      const person = await linkWithEvents(world.person(HOLDER));
      return async () => {
        const { message_id = 0 } = await person.say('/account');
        await person.reads('2FA: ', { message_id });
        await person.tapAndRead(fixedPart('button-unlink'), 'Unlink the account with key', { message_id });
        await person.tapAndRead(fixedPart('button-unlink-yes'), fixedPart('unlinked'));
      };
    },
    async check(world) {
      const linked = (await isLinked(world)) ? ['the account is still linked'] : [];
      return [...linked, ...(await eventsStillCome(world))];
    },
  },
  {
    name: 'erase-user',
    chats: [HOLDER],
    mustFinish: true,
    reaches: DISTURBED,
    async prepare(world) {
      const person = await linkWithEvents(world.person(HOLDER));
      await buyEnergy(person, fixedPart('energy-done'));
      return async () => {
        await forget(person);
        await person.reads('Erased:');
      };
    },
    async check(world) {
      const left = (await keysTagged(world.storage, HOLDER)).filter(
        (key) => !MAY_STAY.has(key.split(':')[0] ?? ''),
      );
      return [...left.map((key) => `${key} is left`), ...(await eventsStillCome(world))];
    },
  },
  {
    name: 'broadcast',
    chats: [HOLDER, ADMIN, ...Array.from({ length: RECIPIENTS }, (_, at) => FIRST_RECIPIENT + at)],
    mustFinish: true,
    reaches: DISTURBED,
    async prepare(world) {
      const admin = world.person(ADMIN);
      await admin.sayAndRead('/start', fixedPart('menu-title'));
      await world.control('POST', '/telegram/crowd', { first_id: FIRST_RECIPIENT, count: RECIPIENTS });
      const people = usersOf(world);
      for (let at = 0; at < RECIPIENTS; at++)
        await people.recordActivity(FIRST_RECIPIENT + at, 'en', undefined);
      await compose(admin, 'Prices fall on Monday');
      await toEverybody(admin);
      return async () => {
        await admin.tapAndRead('Send to', 'Broadcast: done');
      };
    },
    async check(world) {
      const { missed_count, more } = await world.control<{
        missed_count: number;
        more: [id: number, times: number][];
      }>('GET', '/telegram/crowd');
      // A message whose sending got no answer isn't repeated, which the report says.
      const unclear = (await hasSaid(world.person(ADMIN), 'Result unknown, not sent again')) ? 1 : 0;
      return [
        ...(missed_count > unclear ? [`${missed_count} recipients got nothing`] : []),
        ...more.filter(([, times]) => times > 2).map(([id, times]) => `chat ${id} got ${times} copies`),
      ];
    },
  },
  {
    name: 'resolve-by-admin',
    chats: [HOLDER, ADMIN],
    done: fixedPart('energy-done'),
    async mustFinish(world) {
      const [operation] = await operationsOf(world);
      if (operation?.state === 'done') return;
      const question = await toDecision(world);
      await world.person(ADMIN).tapToShow(fixedPart('button-went-through'), question, 'Decided.');
    },
    reaches: ['done', ...DISTURBED],
    executed: inLedger('energy'),
    async prepare(world) {
      const [person, admin] = [world.person(HOLDER), world.person(ADMIN)];
      await linkAccount(person);
      await admin.say('/start');
      await admin.tap(fixedPart('button-admin'));
      const logs = { endpoint: 'GET /webhooks/logs', kind: 'error-before', times: 1_000 };
      await world.control('POST', '/rental/faults', logs);
      const card = await toCard(person);
      // At another price than the card's, the balance proves nothing.
      await setPrice(world, '35');
      await world.control('POST', '/rental/faults', { endpoint: 'POST /energy/buy', kind: 'cut-after' });
      await person.confirm(card, fixedPart('operation-uncertain'));
      await world.passes(TEN_MINUTES_MS);
      const question = await toDecision(world);
      return async () => {
        await admin.tapToShow(fixedPart('button-went-through'), question, 'Decided.');
        await person.shows(card, '✅ Bought');
      };
    },
  },
  {
    name: 'ban-user',
    chats: [ADMIN],
    async mustFinish(world) {
      if (await isBanned(world)) return;
      const question = await toBanQuestion(world);
      await world.person(ADMIN).tapToShow(fixedPart('button-ban-yes'), question, fixedPart('person-banned'));
    },
    reaches: DISTURBED,
    async prepare(world) {
      const admin = world.person(ADMIN);
      await linkAccount(world.person(HOLDER));
      await admin.sayAndRead('/start', fixedPart('menu-title'));
      const question = await toBanQuestion(world);
      return async () => {
        await admin.tapToShow(fixedPart('button-ban-yes'), question, fixedPart('person-banned'));
      };
    },
    check: async (world) => [
      ...((await isBanned(world)) ? [] : ['the user is not banned']),
      ...(await unlessLoggedOnce(world, 'person-banned')),
    ],
  },
  {
    name: 'maintenance',
    config: { adminIds: new Set([ADMIN, MERCHANT]) },
    chats: [ADMIN, MERCHANT],
    async mustFinish(world) {
      if (await isInMaintenance(world)) return;
      const question = await toMaintenanceQuestion(world);
      await world
        .person(ADMIN)
        .tapToShow(fixedPart('button-maintenance-on'), question, fixedPart('state-title'));
    },
    reaches: DISTURBED,
    async prepare(world) {
      const [admin, other] = [world.person(ADMIN), world.person(MERCHANT)];
      await admin.sayAndRead('/start', fixedPart('menu-title'));
      await other.say('/settings');
      await other.tapAndRead('English', fixedPart('menu-title'));
      const question = await toMaintenanceQuestion(world);
      return async () => {
        await admin.tapToShow(fixedPart('button-maintenance-on'), question, fixedPart('state-title'));
        await other.reads(fixedPart('maintenance-notice-on'));
      };
    },
    check: async (world) => [
      ...((await isInMaintenance(world)) ? [] : ['maintenance is not on']),
      ...((await hasSaid(world.person(MERCHANT), fixedPart('maintenance-notice-on')))
        ? []
        : ['the other admin was not notified']),
      ...(await unlessLoggedOnce(world, 'maintenance-on')),
    ],
  },
  {
    name: 'mute-notifications',
    chats: [HOLDER],
    mustFinish: true,
    reaches: DISTURBED,
    async prepare(world) {
      const person = await linkWithEvents(world.person(HOLDER));
      return async () => {
        const screen = await person.ask('/notifications', 'Instant alerts: on');
        await person.tap('Deposits');
        await person.until('the muted kind', (shown) =>
          findButton(
            shown.filter((one) => one.message_id === screen.message_id),
            '🔕 Deposits',
          ),
        );
      };
    },
    async check(world) {
      const text = await world.storage.get(`notification-settings:{${HOLDER}}`);
      return text?.includes('"deposits"') ? [] : ['deposits are not muted'];
    },
  },
  {
    name: 'rotate-key',
    chats: [HOLDER],
    done: fixedPart('energy-done'),
    mustFinish: true,
    executed: inLedger('energy'),
    reaches: ['done'],
    async prepare(world) {
      const person = await linkWithEvents(world.person(HOLDER));
      const card = await toCard(person);
      const rotation = await world.rotateKey();
      return async () => {
        await rotation.renew();
        await rotation.dropOldKey();
        await person.tap(fixedPart('button-confirm'));
        await person.shows(card, fixedPart('energy-done')).catch((error: unknown) => {
          // A fault may lead to another outcome. The checks compare it with the card.
          if (world.trace.injected === undefined) throw error;
        });
      };
    },
  },
];
