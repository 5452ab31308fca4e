import { once } from 'node:events';
import type { AddressInfo, Socket } from 'node:net';
import { createAdaptorServer, type HttpBindings } from '@hono/node-server';
import { expect, test } from 'vitest';
import { linkAccount, toCard } from '../support/steps.ts';
import { HOLDER, inWorld, type World } from '../support/world.ts';

test.concurrent('shows a rejection without a charge if the service accepts no connection', async () => {
  let serve: World['sandbox']['fetch'] = () => new Response(null, { status: 502 });
  const service = createAdaptorServer({ fetch: (request, env) => serve(request, env) });
  const connections = new Set<Socket>();
  service.on('connection', (socket: Socket) => connections.add(socket));
  await once(service.listen(0, '127.0.0.1'), 'listening');
  const { port } = service.address() as AddressInfo;
  await inWorld({ config: { rentalApiUrl: `http://127.0.0.1:${port}/api` } }, async (world) => {
    serve = world.sandbox.fetch;
    const person = await linkAccount(world.person(HOLDER));
    await toCard(person);
    await world.settled();
    serve = async (request, env) => {
      // This connection still works, but new ones fail. A purchase uses a new connection, which may be open already.
      service.close();
      const { socket } = (env as HttpBindings).incoming;
      for (const one of connections) if (one !== socket) one.destroy();
      for (let turns = 0; turns < 5; turns += 1) await new Promise(setImmediate);
      return world.sandbox.fetch(request, env);
    };
    const refused = await person.tapAndRead('Confirm', 'Not bought. Nothing was charged.');
    expect(refused.text).toContain("The service can't process this now");
    expect(world.log.join()).toContain('"endpoint":"buyEnergy"');
    expect((await world.rental()).orders).toEqual([]);
  });
});
