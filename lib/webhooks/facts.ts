// Not in the schemas, so that pages need not load them.

/** The most webhooks of an environment. */
export const MAX_WEBHOOKS = 20;

export const DELIVERY_STATES = ["waiting", "delivered", "failed"] as const;
export type DeliveryState = (typeof DELIVERY_STATES)[number];
