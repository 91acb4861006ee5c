/** The page's routes. Each view is loaded when it is first opened. */
import { createRootRoute, createRoute, createRouter, lazyRouteComponent } from "@tanstack/react-router";
import { NotFound, ViewError } from "./app/problem-views.tsx";
import { Shell } from "./app/shell.tsx";

const rootRoute = createRootRoute({ component: Shell, notFoundComponent: NotFound, errorComponent: ViewError });

const text = (value: unknown): string | undefined => (typeof value === "string" && value !== "" ? value : undefined);

const homeRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/",
  component: lazyRouteComponent(() => import("./welcome/home-view.tsx"), "HomeView"),
});

/** `message`: the one to show and mark. */
const markedMessage = (search: Record<string, unknown>): { message?: string } => {
  const message = text(search.message);
  return message === undefined ? {} : { message };
};

const laneRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/lanes/$lane",
  validateSearch: markedMessage,
  component: lazyRouteComponent(() => import("./conversation/conversation-view.tsx"), "ConversationView"),
});

const memberRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/members/$team/$name",
  validateSearch: markedMessage,
  component: lazyRouteComponent(() => import("./conversation/member-view.tsx"), "MemberView"),
});

const deliveryRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/deliveries/$id",
  component: lazyRouteComponent(() => import("./delivery/delivery-view.tsx"), "DeliveryView"),
});

const statusRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/status",
  component: lazyRouteComponent(() => import("./status/status-view.tsx"), "StatusView"),
});

const searchRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/search",
  validateSearch: (search): { q?: string } => {
    const q = text(search.q);
    return q === undefined ? {} : { q };
  },
  component: lazyRouteComponent(() => import("./search/search-view.tsx"), "SearchView"),
});

const routes = [homeRoute, laneRoute, memberRoute, deliveryRoute, statusRoute, searchRoute];

export const router = createRouter({ routeTree: rootRoute.addChildren(routes), defaultPreload: "intent" });

declare module "@tanstack/react-router" {
  interface Register {
    router: typeof router;
  }
}
