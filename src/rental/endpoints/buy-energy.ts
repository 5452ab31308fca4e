import { z } from 'zod';
import { readAddress } from '../address.ts';
import { ENERGY_DURATIONS, ENERGY_MAX, ENERGY_MIN, PER_MINUTE } from '../limits.ts';
import { EnergyOrder } from '../resources/energy-order.ts';
import type { Endpoint } from './endpoint.ts';

const EnergyPurchase = z.object({
  address: z
    .string()
    .trim()
    .refine((text) => readAddress(text).ok, 'not a chain address'),
  energy_amount: z.int().min(ENERGY_MIN).max(ENERGY_MAX),
  duration_hours: z
    .number()
    .refine((hours) => ENERGY_DURATIONS.some((one) => one === hours), '1 or 24 hours'),
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
