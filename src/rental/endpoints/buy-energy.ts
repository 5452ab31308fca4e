import { z } from 'zod';
import { PER_MINUTE } from '../limits.ts';
import { EnergyOrder } from '../resources/energy-order.ts';
import type { Endpoint } from './endpoint.ts';
import { energyAmount, energyDuration, targetAddress } from './request-fields.ts';

const EnergyPurchase = z.object({
  address: targetAddress,
  energy_amount: energyAmount,
  duration_hours: energyDuration,
});

export type EnergyPurchase = z.infer<typeof EnergyPurchase>;

export const buyEnergy: Endpoint<EnergyPurchase, EnergyOrder> = {
  name: 'buyEnergy',
  kind: 'money',
  method: 'POST',
  path: '/energy/buy',
  perMinute: PER_MINUTE.buyEnergy,
  request: EnergyPurchase,
  response: EnergyOrder,
  echoes: (asked, order) =>
    order.address === asked.address &&
    order.energy_amount === asked.energy_amount &&
    order.duration_hours === asked.duration_hours,
};
