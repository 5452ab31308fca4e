import * as prometheus from 'prom-client';
import { expect, test } from 'vitest';
import { journeysWith } from '../support/journey.ts';
import { declarations, samplesOf, sumOf } from '../support/metrics.ts';
import { buyEnergy, dataOf, fillOrder, linkWithEvents, toCard } from '../support/steps.ts';
import { GUEST, inWorld } from '../support/world.ts';

const BUY = 'POST /energy/buy';

journeysWith({ appOptions: { prometheus } })(
  'metrics show what happened, with labels of closed sets only',
  async (person, world) => {
    await linkWithEvents(person);
    const bought = await buyEnergy(person, 'Bought');
    await fillOrder(world);
    await person.shows(bought, 'Bought and delivered');
    const card = await toCard(person);
    await world.fault(BUY, 'cut-before');
    await person.tapData(card.message_id, dataOf(card, 'Confirm') || dataOf(card, 'Buy anyway'));
    await person.shows(card, 'no sign of it so far');
    await fetch(`${world.origin}/events/unknown`, { method: 'POST', body: '{}' });
    await world.settled();

    const samples = await samplesOf(await world.metrics());
    const value = (name: string, labels = {}) => sumOf(samples, name, labels);
    expect(value('bot_operation_outcomes_total', { kind: 'energy', outcome: 'done' })).toBe(1);
    expect(value('bot_operation_outcomes_total', { kind: 'energy', outcome: 'unknown' })).toBe(1);
    expect(value('bot_operation_outcomes_total')).toBe(2);
    expect(value('bot_operation_duration_seconds_count', { kind: 'energy' })).toBe(2);
    expect(value('bot_operations_open', { state: 'uncertain' })).toBe(1);
    expect(value('bot_queue_length', { queue: 'operations:due' })).toBeGreaterThan(0);
    expect(value('bot_queue_length', { queue: 'polls' })).toBeGreaterThan(0);
    expect(value('bot_update_duration_seconds_count', { kind: 'message', result: 'done' })).toBeGreaterThan(
      3,
    );
    expect(value('bot_requests_total', { to: 'service', result: 'failed' })).toBe(1);
    expect(value('bot_request_duration_seconds_count', { to: 'service' })).toBe(
      value('bot_requests_total', { to: 'service', result: 'answered' }),
    );
    expect(value('bot_requests_total', { to: 'telegram', result: 'answered' })).toBeGreaterThan(3);
    expect(value('bot_events_total', { source: 'webhook' })).toBe(1);
    expect(value('bot_event_delay_seconds_count')).toBe(1);
    expect(value('bot_event_rejections_total', { reason: 'hook' })).toBe(1);
    expect(value('bot_storage_up')).toBe(1);
    expect(value('process_resident_memory_bytes')).toBeGreaterThan(1e6);

    for (const { name, labels } of samples.filter((sample) => sample.name.startsWith('bot_'))) {
      const { labels: sets } = declarations.find((one) => name.startsWith(one.name)) ?? {};
      for (const [label, text] of Object.entries(labels))
        if (label !== 'le') expect(sets?.[label], `${label} of ${name}`).toContain(text);
    }
  },
);

test.concurrent('measures nothing unless metrics are served', () =>
  inWorld({}, async (world) => {
    await world.person(GUEST).say('/start');
    expect(await world.metrics()).toBeUndefined();
  }));
