import { z } from 'zod';
import { amount, chainAddress, recordId, trx, txHash, usdt } from './fields.ts';

export const smartModeTransfer = z
  .strictObject({
    transfer_id: recordId,
    subscription_id: recordId,
    address: chainAddress.describe('Monitored chain address, which sent the USDT.'),
    to_address: chainAddress,
    amount_usdt: usdt,
    energy_amount: amount.describe('131,000 for a recipient that held no USDT, otherwise 65,000.'),
    bw_guarantee: z.boolean(),
    fee_trx: trx,
    tx_hash: txHash.describe('The transfer.'),
    delegation_tx_hash: txHash,
  })
  .describe('Not shown in the specification: what is told of a transfer that Smart Mode served.');
