/**
 * What of the daemon's environment an agent program gets: what it, its providers and its tools need, by name, and
 * nothing else. Pure.
 */

/** Carried by a program that Waybill started, and by all that it starts. */
export const nonceVariable = "WAYBILL_AGENT_NONCE";

/** What differs from terminal to terminal and means nothing to a program that runs already. */
const surroundings =
  /^(PATH|SHELL|USER|LOGNAME|LANG|LANGUAGE|LC_[A-Z]+|TZ|TERM|COLORTERM|NO_COLOR|TMPDIR|TEMP|TMP|SSH_AUTH_SOCK|SSH_AGENT_PID|GPG_TTY|DISPLAY|WAYLAND_DISPLAY|DBUS_SESSION_BUS_ADDRESS|XDG_RUNTIME_DIR|XDG_SESSION_[A-Z]+|EDITOR|VISUAL|PAGER|(NPM_CONFIG|npm_config)_[A-Za-z_]+)$/;

/** Where things are, how the network is reached, and the tools of the trade. */
const places =
  /^(HOME|XDG_[A-Z]+_(HOME|DIRS?)|(HTTPS?|ALL|NO)_PROXY|(https?|all|no)_proxy|NODE_EXTRA_CA_CERTS|SSL_CERT_(FILE|DIR)|CURL_CA_BUNDLE|REQUESTS_CA_BUNDLE|GIT_SSL_CAINFO|GIT_(AUTHOR|COMMITTER)_(NAME|EMAIL)|GIT_SSH|GIT_SSH_COMMAND|[A-Z0-9_]+_(HOME|ROOT)|GOPATH|GOBIN|GOPROXY|GOFLAGS|NVM_DIR|PYTHONPATH|VIRTUAL_ENV|PKG_CONFIG_PATH|LD_LIBRARY_PATH|DYLD_LIBRARY_PATH|DOCKER_HOST|KUBECONFIG)$/;

/** Keys of model providers, and what their libraries read beside them. */
const providers =
  /^([A-Z0-9_]+_API_(KEY|TOKEN|BASE|URL)|[A-Z0-9_]+_BASE_URL|(ANTHROPIC|OPENAI|AZURE|AWS|GOOGLE|GEMINI|VERTEX|CLOUDFLARE|GITHUB|GH|GITLAB|HF|HUGGINGFACE|OLLAMA|OPENROUTER|MISTRAL|GROQ|XAI|DEEPSEEK|SNOWFLAKE|DATABRICKS|AICORE|AI_GATEWAY)_[A-Z0-9_]+|GCLOUD_PROJECT|CLOUDSDK_[A-Z_]+)$/;

const ours = /^(WAYBILL|PI_AGENT|TELEGRAM)_/;

export type AgentEnvironment = Record<string, string>;

/** `own` are the names that belong to the program itself. */
export function inheritedEnvironment(env: NodeJS.ProcessEnv, own: (name: string) => boolean): AgentEnvironment {
  return Object.fromEntries(
    Object.entries(env).filter(
      (entry): entry is [string, string] =>
        entry[1] !== undefined && !ours.test(entry[0]) && (isCommon(entry[0]) || own(entry[0])),
    ),
  );
}

function isCommon(name: string): boolean {
  return [surroundings, places, providers].some((names) => names.test(name));
}

export function isTerminalVariable(name: string): boolean {
  return surroundings.test(name);
}

const secretNames = /KEY|TOKEN|SECRET|PASSWORD|CREDENTIALS|CONTENT/;
/** A line of headers, without the word before a token. */
const headerValue = /^[^:\n]+:[ \t]*(?:(?:Bearer|Basic)[ \t]+)?(\S.*?)[ \t]*$/gim;
/** What stands before the host: a password behind a name, or a token alone. */
const secretInAddress = /:\/\/(?:[^\s/:]*:)?([^\s/]+)@/g;

/** The values that must not show up in an error message, the longest first, since one may hold another. */
export function secretValues(environment: AgentEnvironment): string[] {
  const found = Object.entries(environment).flatMap(([name, value]) => [
    ...(secretNames.test(name) ? [value] : []),
    ...(name.endsWith("_HEADERS") ? all(value, headerValue) : []),
    ...all(value, secretInAddress),
  ]);
  return found.filter((secret) => secret.length >= 6).sort((one, other) => other.length - one.length);
}

function all(text: string, pattern: RegExp): string[] {
  return [...text.matchAll(pattern)].map(([, found = ""]) => found);
}

/** To be used before a text is cut: half of a secret would not be found. */
export function redactSecrets(text: string, secrets: readonly string[]): string {
  return secrets.reduce((clean, secret) => clean.replaceAll(secret, "(secret)"), text);
}
