/** How a bot gets its updates: long polling or a webhook. */
import { z } from "zod";
import { badRequest, conflict } from "../bot-api-error.ts";
import { flag, integer, json, type Method, method, text } from "./method.ts";

const allowedUpdates = json(z.array(z.string())).optional();
const within = (value: number, low: number, high: number) => Math.min(Math.max(value, low), high);

export const updateMethods: Record<string, Method> = {
  getUpdates: method(
    {
      offset: integer.optional(),
      limit: integer.optional(),
      timeout: integer.optional(),
      allowed_updates: allowedUpdates,
    },
    (world, args, { closed }) => {
      if (world.webhook.isSet()) {
        throw conflict(
          "can't use getUpdates method while webhook is active; use deleteWebhook to delete the webhook first",
        );
      }
      world.updates.allow(args.allowed_updates);
      const request = {
        offset: args.offset ?? 0,
        limit: within(args.limit ?? 100, 1, 100),
        timeoutS: within(args.timeout ?? 0, 0, 50),
      };
      return world.longPoll.poll(request, closed);
    },
  ),

  setWebhook: method(
    {
      url: text,
      secret_token: text.optional(),
      max_connections: integer.optional(),
      allowed_updates: allowedUpdates,
      drop_pending_updates: flag.optional(),
    },
    (world, args) => {
      // Telegram wants HTTPS; on loopback, plain HTTP is enough.
      if (args.url && !/^https?:\/\//.test(args.url))
        throw badRequest("bad webhook: An HTTPS URL must be provided for webhook");
      if (args.secret_token !== undefined && !/^[\w-]{1,256}$/.test(args.secret_token)) {
        throw badRequest("secret token contains unallowed characters");
      }
      if (args.drop_pending_updates) world.updates.keepNewest(0);
      world.updates.allow(args.allowed_updates);
      if (args.url) world.longPoll.interrupt("terminated by setWebhook request");
      const maxConnections = within(args.max_connections ?? 40, 1, 100);
      world.webhook.set(args.url ? { url: args.url, secretToken: args.secret_token, maxConnections } : undefined);
      return true;
    },
  ),

  deleteWebhook: method({ drop_pending_updates: flag.optional() }, (world, args) => {
    if (args.drop_pending_updates) world.updates.keepNewest(0);
    world.webhook.set(undefined);
    return true;
  }),

  getWebhookInfo: method({}, (world) => world.webhook.info()),
};
