import { expect } from 'vitest';
import { journey as it } from '../support/journey.ts';
import { operationOf } from '../support/person.ts';
import { buyEnergy, linkAccount, toCard } from '../support/steps.ts';
import { HOLDER, type World } from '../support/world.ts';

type Line = Record<string, unknown>;

const linesOf = (world: World, operation: string): Line[] =>
  world.log.map((line): Line => JSON.parse(line)).filter((line) => line.operation === operation);

it('logs a purchase in one line, and its update and operation with each of its requests', async (person, world) => {
  await linkAccount(person);
  const operation = operationOf(await buyEnergy(person, 'Balance left'));
  await world.settled();
  const lines = linesOf(world, operation);
  const [ordered] = (await world.rental()).orders;
  expect(lines.filter(({ level }) => level !== 'debug')).toEqual([
    {
      level: 'info',
      time: expect.any(String),
      ...{ update: expect.any(Number), chat: HOLDER, operation, kind: 'energy', user: HOLDER },
      ...{ account: ordered?.account_id, order: ordered?.order_id, price: ordered?.price_trx },
      ms: expect.any(Number),
      msg: 'an operation went through',
    },
  ]);
  expect(lines.map(({ endpoint }) => endpoint)).toEqual(expect.arrayContaining(['profile', 'buyEnergy']));
  expect(new Set(lines.map(({ update }) => update)).size).toBe(1);
});

it('warns of an unknown outcome with its cause, and of a likely one', async (person, world) => {
  await linkAccount(person);
  const card = await toCard(person);
  await world.fault('POST /energy/buy', 'cut-after');
  await person.confirm(card, 'Most likely bought');
  expect(linesOf(world, operationOf(card)).filter(({ level }) => level !== 'debug')).toMatchObject([
    { level: 'warn', reason: 'cut', msg: 'an operation got no usable reply' },
    { level: 'warn', msg: expect.stringContaining('is unknown') },
    { level: 'warn', msg: expect.stringContaining('probably') },
  ]);
});
