import { get } from '../endpoint.ts';
import { priceList } from '../prices.ts';

export const prices = get('/prices', priceList);
