/** The OpenAPI document, generated only from the route descriptions. */
import { OpenAPIHono } from "@hono/zod-openapi";
import { sessionCookieName } from "./page/browser-sessions.ts";
import { deliveryRoutes } from "./routes/deliveries.ts";
import { inboxRoutes } from "./routes/inbox.ts";
import { laneRoutes, putLaneRoute } from "./routes/lanes.ts";
import { attachmentRoutes, messageRoutes } from "./routes/messages.ts";
import { loginRoutes, pageRoutes } from "./routes/page.ts";
import { doctorRoutes, healthRoutes, programRoutes } from "./routes/program.ts";
import { runtimeRoutes } from "./routes/runtimes.ts";
import { statsRoutes } from "./routes/stats.ts";
import { streamRoutes } from "./routes/stream.ts";
import { teamRoutes } from "./routes/teams.ts";

const routes = [
  messageRoutes,
  attachmentRoutes,
  deliveryRoutes,
  laneRoutes,
  runtimeRoutes,
  teamRoutes,
  inboxRoutes,
  streamRoutes,
  statsRoutes,
  doctorRoutes,
  healthRoutes,
  programRoutes,
  loginRoutes,
  pageRoutes,
];

const documents = new Map<string, object>();

export function openApiDocument(runtimeKinds: readonly string[]): object {
  const key = runtimeKinds.join();
  const document = documents.get(key) ?? makeDocument(runtimeKinds);
  documents.set(key, document);
  return document;
}

function makeDocument(runtimeKinds: readonly string[]): object {
  const { openAPIRegistry, getOpenAPI31Document } = new OpenAPIHono();
  openAPIRegistry.registerComponent("securitySchemes", "token", {
    type: "http",
    scheme: "bearer",
    description: "The token from Waybill's state directory.",
  });
  openAPIRegistry.registerComponent("securitySchemes", "session", {
    type: "apiKey",
    in: "cookie",
    name: sessionCookieName(7717),
    description:
      "Given to a browser in exchange for a one-time code. Its name ends with the daemon's port. Requests that change " +
      "something must also send an allowed `Origin`.",
  });
  for (const route of routes.flatMap((group) => Object.values(group))) openAPIRegistry.registerPath(route);
  openAPIRegistry.registerPath(putLaneRoute(runtimeKinds));
  return getOpenAPI31Document({
    openapi: "3.1.0",
    info: {
      title: "Waybill",
      version: "1",
      description: "Delivers messages to coding agents and proves that they acted on them.",
      license: { name: "MIT", url: "https://opensource.org/license/mit" },
    },
    tags: [
      { name: "messages", description: "Messages to agents, and their replies." },
      { name: "attachments", description: "Files attached to messages." },
      { name: "deliveries", description: "The state and outcome of each message to an agent." },
      { name: "lanes", description: "Where agents work." },
      { name: "runtimes", description: "The agent programs that lanes use." },
      { name: "teams", description: "Members that work together, and what each one is doing." },
      { name: "inbox", description: "Messages to people, and agents on hold until a person releases them." },
      { name: "asks", description: "Permissions and questions that agents wait for a person to answer." },
      { name: "stream", description: "Live events, and the log of what agents did." },
      { name: "stats", description: "Statistics by lane and day." },
      { name: "program", description: "Waybill itself." },
      { name: "page", description: "The page for browsers, and signing in to it." },
    ],
  });
}
