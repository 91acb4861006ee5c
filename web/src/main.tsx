/** Starts the page: connects to the daemon, and shows the view for the address. */
import "./tokens.css";
import { QueryClientProvider } from "@tanstack/react-query";
import { RouterProvider } from "@tanstack/react-router";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { applyTheme } from "./app/theme.ts";
import { followDaemon } from "./live/live.ts";
import { queryClient } from "./live/queries.ts";
import { router } from "./router.tsx";
import { noteVisit } from "./search/recent-lanes.ts";

applyTheme();
allowOwnStyles();
void followDaemon();
router.subscribe("onResolved", ({ toLocation }) => noteVisit(toLocation.pathname));

const root = document.getElementById("root");
if (!root) throw new Error("index.html has no #root");
createRoot(root).render(
  <StrictMode>
    <QueryClientProvider client={queryClient}>
      <RouterProvider router={router} />
    </QueryClientProvider>
  </StrictMode>,
);

/** Dialogs lock scrolling with a style element; the Content-Security-Policy allows it by this nonce. */
function allowOwnStyles(): void {
  const nonce = document.querySelector<HTMLMetaElement>("meta[property=csp-nonce]")?.nonce;
  Object.assign(globalThis, { __webpack_nonce__: nonce });
}
