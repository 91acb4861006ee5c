/** Who may import whom. docs/architecture.md lists the folders in the order of the flow; type imports count as imports. */

/** Each folder imports from those before it, never from those after it. `daemon` composes, `cli` runs it. */
const layers = [
  "core",
  "store",
  "runtimes",
  "events",
  "mail",
  "courier",
  "operator",
  "service",
  "transports",
  "daemon",
  "cli",
];
const notTests = { pathNot: "\\.test\\.ts$" };

module.exports = {
  forbidden: [
    {
      name: "no-circular",
      severity: "error",
      comment: "Two files that need each other are one file, or a third is missing.",
      from: {},
      to: { circular: true },
    },
    {
      name: "core-imports-only-core",
      severity: "error",
      comment:
        "Decisions are pure: no clock, no random source, no I/O, no library. (node:crypto is there for a hash; a test looks for the rest.)",
      from: { path: "^src/core/", ...notTests },
      to: { pathNot: ["^src/core/", "^(node:)?crypto$"] },
    },
    ...layers.slice(0, -1).map((layer, index) => ({
      name: `${layer}-knows-nothing-above-it`,
      severity: "error",
      from: { path: `^src/${layer}/`, ...notTests },
      to: { path: `^src/(${layers.slice(index + 1).join("|")})/` },
    })),
    {
      name: "adapters-do-not-know-each-other",
      severity: "error",
      comment: "Runtimes, stores and transports meet in the daemon.",
      from: { path: "^src/(runtimes|store|transports)/", ...notTests },
      to: { path: "^src/(runtimes|store|transports)/", pathNot: "^src/$1/" },
    },
    {
      name: "transports-do-not-know-each-other",
      severity: "error",
      comment: "They may mount themselves on http, which knows none of them; the daemon passes them in.",
      from: { path: "^src/transports/([^/]+)/", ...notTests },
      to: { path: "^src/transports/", pathNot: ["^src/transports/$1/", "^src/transports/http/"] },
    },
    {
      name: "runtimes-do-not-know-each-other",
      severity: "error",
      comment: "What several of them need stands beside them.",
      from: { path: "^src/runtimes/([^/]+)/", ...notTests },
      to: { path: "^src/runtimes/[^/]+/", pathNot: ["^src/runtimes/$1/", "^src/runtimes/(process|process-pool)/"] },
    },
    {
      name: "only-the-registry-knows-runtimes",
      severity: "error",
      comment:
        "A new runtime is one folder and one entry. (The demo chooses: it sets up an OpenCode and scripts the stub.)",
      from: {
        path: "^src/(runtimes/[^/]+\\.ts$|(?!runtimes/))",
        pathNot: ["^src/runtimes/registry\\.ts$", "^src/daemon/demo/", notTests.pathNot],
      },
      to: { path: "^src/runtimes/[^/]+/", pathNot: "^src/runtimes/(process|process-pool)/" },
    },
    {
      name: "only-daemon-and-cli-know-adapters",
      severity: "error",
      comment: "Everybody else knows their ports.",
      from: { path: "^src/(events|mail|courier|operator|service)/", ...notTests },
      to: { path: "^src/(runtimes|store)/(.+/|registry\\.ts$)" },
    },
    {
      name: "only-those-who-open-it-know-the-whole-store",
      severity: "error",
      comment: "Everybody else takes the roles of src/store/port.ts that it uses.",
      from: {
        path: "^src/",
        pathNot: "^src/(daemon/(wiring|worker)/|store/([^/]+/|administration\\.ts$))|\\.test\\.ts$",
      },
      to: { path: "^src/store/store\\.ts$" },
    },
    {
      name: "only-the-wiring-knows-sqlite",
      severity: "error",
      comment: "Everybody else opens and administers a store through src/store/administration.ts.",
      from: {
        path: "^(src|packages|web/src)/",
        pathNot: ["^src/store/sqlite/", "^src/daemon/wiring/", "\\.test\\.ts$"],
      },
      to: { path: ["^src/store/sqlite/", "(^|/)better-sqlite3/"] },
    },
    {
      name: "client-stands-alone",
      severity: "error",
      comment: "It is published for other programs, and runs in browsers.",
      from: { path: "^src/client/", ...notTests },
      to: { path: "^src/", pathNot: "^src/client/" },
    },
    {
      name: "client-needs-no-node",
      severity: "error",
      from: { path: "^src/client/", ...notTests },
      to: { dependencyTypes: ["core"] },
    },
    {
      name: "page-knows-only-the-client",
      severity: "error",
      comment: "It runs in a browser, and reaches the daemon as any other program does.",
      from: { path: "^web/src/", ...notTests },
      to: { path: "^src/", pathNot: "^src/client/" },
    },
    {
      name: "packages-stand-alone",
      severity: "error",
      comment: "They play somebody else's server, so they know nothing of this one.",
      from: { path: "^packages/([^/]+)/", ...notTests },
      to: { path: "^(src|web|packages)/", pathNot: "^packages/$1/" },
    },
    {
      name: "only-demos-run-the-packages",
      severity: "error",
      comment: "Nothing else may behave differently because the model is scripted or Telegram is a fake.",
      from: { path: "^src/", pathNot: "^src/(daemon|cli)/demo/|\\.test\\.ts$" },
      to: { path: "^packages/" },
    },
    {
      name: "no-orphans",
      severity: "error",
      from: { orphan: true, path: "^src/", ...notTests },
      to: {},
    },
    {
      name: "source-needs-no-test-tools",
      severity: "error",
      from: { path: "^src/", ...notTests },
      to: { path: "^test/|\\.test\\.ts$|node_modules/(vitest|fast-check)/" },
    },
  ],
  options: {
    doNotFollow: { path: "node_modules" },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: "tsconfig.json" },
    enhancedResolveOptions: { extensions: [".ts", ".js"] },
  },
};
