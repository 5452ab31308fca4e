import { get } from '../endpoint.ts';
import { TRX_USD_RATE, USDT_TO_TRX_RATE } from '../prices.ts';

export const accountDeposit = get('/account/deposit', ({ account }) => ({
  deposit_address: account.depositAddress,
  accepted_currencies: ['TRX', 'USDT'],
  usdt_to_trx_rate: USDT_TO_TRX_RATE,
  trx_usd_rate: TRX_USD_RATE,
}));
