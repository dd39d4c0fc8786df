/** Examples of account resources. */
export const apiKey = {
  id: "key_3v8n1k6z2wh8fj2m4q9x0c7b",
  object: "api_key",
  name: "server",
  prefix: "svc_live_7f3",
  scopes: ["read", "spend", "write"],
  created_at: "2026-11-20T09:00:00.000Z",
  last_used_at: "2026-11-21T01:09:35.668Z",
};

export const account = {
  object: "account",
  id: "acct_kp98cnpev5dpr2m3pkppwh2a",
  name: "Acme",
  email: "a@acme.example",
  credit_balance: 4_998,
  credits_held: 0,
  lifetime_credits: 5_000,
  credits_spent: 2,
  concurrency: {
    limit: 5,
    in_flight: 0,
    next_tier: { concurrency: 20, at_lifetime_credits: 25_000 },
  },
  daily_credit_budget: 2_000,
  daily_credits_left: 1_820,
  credits_spent_today: 180,
  forecast: {
    watchlists: 2,
    day: { runs: 48, best: 120, likely: 180, worst: 900 },
    month: { runs: 1_440, best: 3_600, likely: 5_400, worst: 27_000 },
    balance_runs_out_at: {
      best: "2027-01-10T00:00:00.000Z",
      likely: "2026-12-24T00:00:00.000Z",
      worst: "2026-11-28T00:00:00.000Z",
    },
  },
  auto_topup: null,
  webhook_endpoints: 1,
  s3_external_id: "ext-0f6a1c2d3e4b5a69788796a5b4c3d2e1",
  api_key: {
    id: apiKey.id,
    name: apiKey.name,
    prefix: apiKey.prefix,
    scopes: apiKey.scopes,
  },
  created_at: "2026-11-20T09:00:00.000Z",
};

const day = { requests: 1, successful: 1, failed: 0, credits: 2 };

export const usage = {
  object: "usage",
  days: 1,
  totals: { ...day, success_rate: 1 },
  daily: [{ date: "2026-11-21", ...day }],
};

export const chargeEntry = {
  object: "credit_transaction",
  id: "ctx_1k0wgq93k6804wzm1frwspw1",
  type: "charge",
  credits: 2,
  balance_before: 4_998,
  balance_after: 4_998,
  sequence: 3,
  request_id: "req_01kp98cnpev5dpr2m3pkppwh2a",
  endpoint: "POST /v1/products",
  api_key_id: "key_3v8n1k6z2wh8fj2m4q9x0c7b",
  scraper: "retailer_d.standard",
  items_requested: 2,
  items_charged: 2,
  created_at: "2026-11-21T01:09:35.668Z",
};
