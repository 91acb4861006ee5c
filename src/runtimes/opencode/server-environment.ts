/**
 * The environment of a server that Waybill starts: what OpenCode, its providers and the tools of an agent need, by name,
 * and nothing else of the daemon's own. Pure.
 */
import { createHash } from "node:crypto";

/** Carried by the server and by all that it starts. */
export const nonceVariable = "WAYBILL_OPENCODE_NONCE";

/** What differs from terminal to terminal and means nothing to a server that runs already. */
const surroundings =
  /^(PATH|SHELL|USER|LOGNAME|LANG|LANGUAGE|LC_[A-Z]+|TZ|TERM|COLORTERM|NO_COLOR|TMPDIR|TEMP|TMP|SSH_AUTH_SOCK|SSH_AGENT_PID|GPG_TTY|DISPLAY|WAYLAND_DISPLAY|DBUS_SESSION_BUS_ADDRESS|XDG_RUNTIME_DIR|XDG_SESSION_[A-Z]+|EDITOR|VISUAL|PAGER|(NPM_CONFIG|npm_config)_[A-Za-z_]+)$/;

/** Where things are, how the network is reached, and the tools of the trade. */
const places =
  /^(HOME|XDG_[A-Z]+_(HOME|DIRS?)|(HTTPS?|ALL|NO)_PROXY|(https?|all|no)_proxy|NODE_EXTRA_CA_CERTS|SSL_CERT_(FILE|DIR)|CURL_CA_BUNDLE|REQUESTS_CA_BUNDLE|GIT_SSL_CAINFO|GIT_(AUTHOR|COMMITTER)_(NAME|EMAIL)|GIT_SSH|GIT_SSH_COMMAND|[A-Z0-9_]+_(HOME|ROOT)|GOPATH|GOBIN|GOPROXY|GOFLAGS|NVM_DIR|PYTHONPATH|VIRTUAL_ENV|PKG_CONFIG_PATH|LD_LIBRARY_PATH|DYLD_LIBRARY_PATH|DOCKER_HOST|KUBECONFIG)$/;

/** Keys of model providers, and what their libraries read beside them. */
const providers =
  /^([A-Z0-9_]+_API_(KEY|TOKEN|BASE|URL)|[A-Z0-9_]+_BASE_URL|(ANTHROPIC|OPENAI|AZURE|AWS|GOOGLE|GEMINI|VERTEX|CLOUDFLARE|GITHUB|GH|GITLAB|HF|HUGGINGFACE|OLLAMA|OPENROUTER|MISTRAL|GROQ|XAI|DEEPSEEK|SNOWFLAKE|DATABRICKS|AICORE|AI_GATEWAY)_[A-Z0-9_]+|GCLOUD_PROJECT|CLOUDSDK_[A-Z_]+)$/;

const opencode = /^OPENCODE_[A-Z0-9_]+$/;

/** Waybill's own, or of the OpenCode session in which somebody started the daemon. */
const kept =
  /^(WAYBILL_.*|PI_AGENT_.*|TELEGRAM_.*|OPENCODE_(BIN|ATTACH_URL|AUTO_START|SERVE_(HOST|PORT)|SERVER_(PASSWORD|USERNAME)|PID|ROUTE|CLIENT|WORKSPACE_ID|RUN_ID|PROCESS_ROLE|EDITOR_SSE_PORT))$/;

export type ServerEnvironment = Record<string, string>;

/** Without the password and the nonce, which are another for each start. */
export function serverEnvironment(env: NodeJS.ProcessEnv, extra: Readonly<Record<string, string>>): ServerEnvironment {
  const passed = Object.entries(env).filter(
    (entry): entry is [string, string] => entry[1] !== undefined && isPassedOn(entry[0]),
  );
  return { ...Object.fromEntries(passed), OPENCODE_DISABLE_AUTOUPDATE: "1", ...extra };
}

function isPassedOn(name: string): boolean {
  return !kept.test(name) && [surroundings, places, providers, opencode].some((names) => names.test(name));
}

/**
 * What a server was started with, as a hash. One that was started with something else is not taken over: it would go on
 * with an old key, an old permission table or an old program.
 */
export function fingerprintOf(start: {
  path: string;
  version: string;
  place: string;
  environment: ServerEnvironment;
}): string {
  const meant = Object.entries(start.environment)
    .filter(([name]) => !surroundings.test(name))
    .sort(([a], [b]) => (a < b ? -1 : 1));
  return createHash("sha256")
    .update(JSON.stringify([start.path, start.version, start.place, meant]))
    .digest("hex");
}

/** The values that must not show up in an error message. */
export function secretsIn(environment: ServerEnvironment): string[] {
  return Object.entries(environment)
    .filter(([name, value]) => /KEY|TOKEN|SECRET|PASSWORD|CREDENTIALS|CONTENT/.test(name) && value.length >= 6)
    .map(([, value]) => value);
}
