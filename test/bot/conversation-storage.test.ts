import { expect, test } from 'vitest';
import type { BotContext } from '../../src/bot/context.ts';
import { conversationStorage, flowId } from '../../src/bot/conversation-storage.ts';
import type { Feature } from '../../src/bot/features/feature.ts';

const run = async () => {};
const energy: Feature = { name: 'energy', flow: { version: 3, run } };
const others: Feature[] = [{ name: 'menu' }, { name: 'link', flow: { version: 1, run } }];

const versioned = (state: Record<string, unknown>, version: unknown = [0, 2]) =>
  JSON.stringify({ version, state });
const PRESENT = versioned({ 'energy@3': [{ args: '[]', interrupts: [1] }] });

/** What is found of a stored conversation, and what is left of it in the update's transaction. */
async function read(stored: string | undefined) {
  const storage = conversationStorage([energy, ...others]);
  if (!('adapter' in storage) || storage.type !== 'context') throw new Error('it is bound to the context');
  const ctx = { tx: { conversation: stored } } as BotContext;
  const found = await storage.adapter.read(ctx);
  return { storage, ctx, found, left: ctx.tx.conversation };
}

test('a flow is stored under its name and its own version', () => {
  expect(flowId(energy)).toBe('energy@3');
});

test('an open flow of the present version is found, and stays', async () => {
  expect(await read(PRESENT)).toMatchObject({ found: JSON.parse(PRESENT), left: PRESENT });
});

test.each([
  ['nothing', undefined],
  ['an empty text', ''],
  ['no JSON', '{'],
  ['null', 'null'],
  ['a list', '[]'],
  ['no versions', JSON.stringify({ state: {} })],
  ['the layout before', versioned({ 'energy@3': [] }, [0, 1])],
  ['one version alone', versioned({ 'energy@3': [] }, 2)],
  ['no state', JSON.stringify({ version: [0, 2] })],
  ['a state of another shape', versioned({ 'energy@3': 'open' })],
  ['a flow of an older version', versioned({ 'energy@2': [{}] })],
  ['a flow of a newer version', versioned({ 'energy@4': [{}] })],
  ['a flow without a version', versioned({ energy: [{}] })],
  ['a flow that is no more', versioned({ 'withdrawal@1': [{}] })],
  ['an unknown flow beside a known one', versioned({ 'energy@3': [{}], 'withdrawal@1': [{}] })],
  ['a feature that asks nothing', versioned({ 'menu@undefined': [{}] })],
])('%s is forgotten at once, and is not fatal', async (_, stored) => {
  const { found, left } = await read(stored);
  expect([found, left]).toEqual([undefined, undefined]);
});

test('what is written and deleted is a part of the commit', async () => {
  const { storage, ctx } = await read(undefined);
  if (storage.type !== 'context') throw new Error('it is bound to the context');
  const state = JSON.parse(PRESENT);
  await storage.adapter.write(ctx, state);
  expect(ctx.tx.conversation).toBe(PRESENT);
  await storage.adapter.delete(ctx);
  expect(ctx.tx.conversation).toBeUndefined();
});
