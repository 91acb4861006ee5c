/** The OpenAPI document, made from the descriptions of the routes alone. */
import { OpenAPIHono } from "@hono/zod-openapi";
import { askRoutes } from "./routes/asks.ts";
import { attachmentRoutes } from "./routes/attachments.ts";
import { deliveryRoutes } from "./routes/deliveries.ts";
import { pageRoutes } from "./routes/front-page.ts";
import { healthRoutes } from "./routes/health.ts";
import { inboxRoutes } from "./routes/inbox.ts";
import { laneRoutes, putLaneRoute } from "./routes/lanes.ts";
import { loginRoutes } from "./routes/login.ts";
import { messageRoutes } from "./routes/messages.ts";
import { programRoutes } from "./routes/program.ts";
import { streamRoutes } from "./routes/stream.ts";
import { teamRoutes } from "./routes/teams.ts";

const routes = [
  messageRoutes,
  attachmentRoutes,
  deliveryRoutes,
  laneRoutes,
  teamRoutes,
  inboxRoutes,
  askRoutes,
  streamRoutes,
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
    description: "The token that stands in Waybill's state directory.",
  });
  openAPIRegistry.registerComponent("securitySchemes", "session", {
    type: "apiKey",
    in: "cookie",
    name: "waybill_session",
    description: "What a browser gets for a one-time code. Whatever changes something needs an `Origin` beside it.",
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
      { name: "messages", description: "What is sent to agents, and what they wrote back." },
      { name: "attachments", description: "Files that go with messages." },
      { name: "deliveries", description: "What became of each message." },
      { name: "lanes", description: "Where agents work." },
      { name: "teams", description: "Who works together, and what each member is doing." },
      { name: "inbox", description: "What people have to read, and agents that wait for them to decide." },
      { name: "asks", description: "What agents wait for a person to decide." },
      { name: "stream", description: "What happens, as it happens." },
      { name: "program", description: "Waybill itself." },
      { name: "page", description: "For browsers." },
    ],
  });
}
