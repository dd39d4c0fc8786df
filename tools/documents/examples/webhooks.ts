/** Examples of webhook resources. */

export const endpoint = {
  id: "we_8fj2m4q9x0c7v5b3n1k6z2wh",
  object: "webhook_endpoint",
  url: "https://receiver.example.com/hooks",
  description: "Prices",
  events: ["watchlist.product.changed", "watchlist.run.completed"],
  enabled: true,
  status: "ok",
  disabled_reason: null,
  failing_since: null,
  last_error: null,
  last_success_at: "2026-11-21T01:20:04.912Z",
  secret_hint: "x9Qk",
  previous_secret_expires_at: null,
  created_at: "2026-11-21T01:09:35.668Z",
  updated_at: "2026-11-21T01:09:35.668Z",
};

export const secret = "whsec_0123456789abcdefghijklmnopqrstux9Qk";

export const delivery = {
  id: "dlv_1d0jgb9a2v7m3k5q8x0c4n6t",
  object: "webhook_delivery",
  endpoint_id: endpoint.id,
  event_id: "evt_1d0jgb9a2fkzq3m8vcx5t0e4",
  event_type: "watchlist.product.changed",
  watchlist_id: "wl_1d0jg8k3mfkzq3m8vcx5t0ee",
  run_id: "wlrun_00000001afkzq3m8vcx5t0e2",
  state: "pending",
  attempt_count: 1,
  last_attempt_at: "2026-11-21T01:20:05.377Z",
  last_status: 500,
  last_error: "status_500",
  next_attempt_at: "2026-11-21T01:20:10.491Z",
  created_at: "2026-11-21T01:20:04.102Z",
};

export const deliveryWithAttempts = {
  ...delivery,
  request_body:
    `{"id":"${delivery.event_id}","type":"${delivery.event_type}",` +
    `"created_at":"${delivery.created_at}","data":{"run_number":7,"part":1,"parts":1}}`,
  attempts: [
    {
      attempt: 1,
      at: "2026-11-21T01:20:05.377Z",
      status: 500,
      duration_ms: 114,
      error: "status_500",
      response: "try again later",
      request_headers: {
        "Content-Type": "application/json",
        "User-Agent": "Service-Webhooks/1.0",
        "Service-Signature": `t=1795224005,v1=${"0123456789abcdef".repeat(4)}`,
        "Service-Event-Type": delivery.event_type,
        "Service-Delivery-Id": delivery.id,
        "Service-Attempt": "1",
        "webhook-id": delivery.event_id,
        "webhook-timestamp": "1795224005",
        "webhook-signature": "v1,MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY=",
      },
    },
  ],
};
