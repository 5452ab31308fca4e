import { get } from '../endpoint.ts';
import { packageTiers } from '../package-prices.ts';

export const transferPackagesTiers = get('/transfer-packages/tiers', packageTiers);
