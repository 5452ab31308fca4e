import { enterConversation } from '@grammyjs/conversations';
import { Api } from 'grammy';
import { expect, test } from 'vitest';
import type { BotContext } from '../../src/bot/context.ts';
import { conversationStorage, flowConversation, flowId } from '../../src/bot/conversations.ts';
import type { Feature } from '../../src/bot/feature.ts';
import { standInBot } from './stand-in-bot.ts';

const flowOf = (version: number): NonNullable<Feature['flow']> => ({
  version,
  begin: async () => ({ kind: 'ended' }),
  answer: async () => ({ kind: 'ended' }),
  parse: (kept) => (kept === 'unreadable' ? undefined : kept),
});
const energy: Feature = { name: 'energy', flow: flowOf(3) };
const others: Feature[] = [{ name: 'menu' }, { name: 'link', flow: flowOf(1) }];

const stored = (flow: unknown, state: unknown = { step: 'amount' }, version: unknown = [0, 3]) =>
  JSON.stringify({ version, flow, state });
const PRESENT = stored('energy@3');

/** Reads a stored conversation. `found` is the plugin's state, `left` the conversation that stays in the transaction. */
async function read(conversation: string | undefined) {
  const storage = conversationStorage([energy, ...others]);
  if (!('adapter' in storage) || storage.type !== 'context')
    throw new Error('expected a storage of type "context"');
  const ctx = { tx: { conversation } } as BotContext;
  const found = await storage.adapter.read(ctx);
  return { storage, ctx, found, left: ctx.tx.conversation };
}

test('a flow id contains the name and version of the flow', () => {
  expect(flowId(energy)).toBe('energy@3');
});

test('restores an open flow of the current version and keeps it stored', async () => {
  const { found, left } = await read(PRESENT);
  expect(found?.state).toMatchObject({ 'energy@3': [{ args: '[{"step":"amount"}]', interrupts: [1] }] });
  expect(left).toBe(PRESENT);
});

test('restores the state that the plugin creates when a flow is entered', async () => {
  const { found } = await read(PRESENT);
  const api = new Api('700:stands-in-for-a-token');
  const { botInfo: me } = standInBot().bot;
  const base = { update: { update_id: 0 }, api, me };
  const entered = await enterConversation(flowConversation(flowOf(3)), base, { args: [{ step: 'amount' }] });
  expect(found?.state['energy@3']).toEqual([{ ...entered, status: undefined }]);
});

test.each([
  ['nothing', undefined],
  ['an empty text', ''],
  ['no JSON', '{'],
  ['null', 'null'],
  ['a list', '[]'],
  ['no versions', JSON.stringify({ flow: 'energy@3', state: {} })],
  ['the previous layout', JSON.stringify({ version: [0, 2], state: { 'energy@3': [{ args: '[]' }] } })],
  ['the previous layout version', stored('energy@3', {}, [0, 2])],
  ['another version of the plugin', stored('energy@3', {}, [1, 3])],
  ['a single version number', stored('energy@3', {}, 3)],
  ['no state', JSON.stringify({ version: [0, 3], flow: 'energy@3' })],
  ['a state that its flow cannot read', stored('energy@3', 'unreadable')],
  ['no flow', stored(undefined)],
  ['a flow of an older version', stored('energy@2')],
  ['a flow of a newer version', stored('energy@4')],
  ['a flow without a version', stored('energy')],
  ['a removed flow', stored('withdrawal@1')],
  ['a feature without a flow', stored('menu@undefined')],
])('drops a stored conversation without throwing: %s', async (_, kept) => {
  const { found, left } = await read(kept);
  expect([found, left]).toEqual([undefined, undefined]);
});

test('write and delete change the conversation in the transaction', async () => {
  const { storage, ctx, found } = await read(PRESENT);
  if (storage.type !== 'context' || found === undefined)
    throw new Error('expected a storage of type "context"');
  await storage.adapter.write(ctx, found);
  expect(ctx.tx.conversation).toBe(PRESENT);
  ctx.flowState = { step: 'duration' };
  await storage.adapter.write(ctx, found);
  expect(ctx.tx.conversation).toBe(stored('energy@3', { step: 'duration' }));
  await storage.adapter.delete(ctx);
  expect(ctx.tx.conversation).toBeUndefined();
});
