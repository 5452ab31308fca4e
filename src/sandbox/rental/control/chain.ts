import { Hono } from 'hono';
import { requireAddress } from '../chain-address.ts';
import type { World } from '../world.ts';
import { addressView } from './chain-views.ts';

/** Adds `GET /chain/addresses/:address`, which returns the purse of an address and its latest transactions. */
export function controlChain(world: World): Hono {
  return new Hono().get('/addresses/:address', (c) =>
    c.json(addressView(world.state, requireAddress(c.req.param('address')))),
  );
}
