import { createCipheriv, createDecipheriv, randomBytes, randomUUID } from "node:crypto";
import type { IncomingMessage, RequestListener } from "node:http";
import * as v from "valibot";
import type { DataFolder } from "./data-folder.ts";
import { readJson } from "./local-server.ts";
import type { ResolvedTemplates } from "./template.ts";

interface Key {
  readonly id: string;
  readonly arn: string;
  readonly aliases: readonly string[];
  readonly material: Buffer;
}

class KeyError extends Error {
  readonly type: string;

  constructor(type: string, message: string) {
    super(message);
    this.type = type;
  }
}

/** KMS's limit for the plaintext of one call, in bytes. */
const plaintextBytesMax = 4_096;
const idBytes = 16;
const nonceBytes = 12;
const tagBytes = 16;

const encryptRequest = v.object({
  KeyId: v.string(),
  Plaintext: v.pipe(v.string(), v.base64()),
  EncryptionContext: v.optional(v.record(v.string(), v.string()), {}),
});
const decryptRequest = v.object({
  KeyId: v.optional(v.string()),
  CiphertextBlob: v.pipe(v.string(), v.base64()),
  EncryptionContext: v.optional(v.record(v.string(), v.string()), {}),
});

/**
 * Creates an HTTP listener that serves KMS for the keys of the templates. Supports Encrypt and
 * Decrypt with an encryption context. Any other operation gets `UnsupportedOperationException`.
 */
export function keyEndpoint(templates: ResolvedTemplates, folder: DataFolder): RequestListener {
  const keys = loadKeys(templates, folder);
  return (request, response) => {
    const send = (status: number, body: unknown): void => {
      response.writeHead(status, {
        "content-type": "application/x-amz-json-1.1",
        "x-amzn-requestid": randomUUID(),
      });
      response.end(JSON.stringify(body));
    };
    answer(keys, request)
      .then((body) => send(200, body))
      .catch((error: unknown) => {
        const type = error instanceof KeyError ? error.type : "ValidationException";
        send(400, { __type: type, message: error instanceof Error ? error.message : type });
      });
  };
}

/**
 * Returns the templates' keys with their key material. Creates missing material once for each data
 * folder, in a file that only its owner can read.
 */
function loadKeys(templates: ResolvedTemplates, folder: DataFolder): readonly Key[] {
  const stored = folder.read("keys.json", v.record(v.string(), v.string())) ?? {};
  const resources = templates.ofType("AWS::KMS::Key").map(({ local }) => local);
  const aliases = templates.ofType("AWS::KMS::Alias", v.object({ TargetKeyId: v.string() }));
  const missing = resources
    .filter(({ ref }) => stored[ref] === undefined)
    .map(({ ref }) => [ref, randomBytes(32).toString("base64")] as const);
  const material = { ...stored, ...Object.fromEntries(missing) };
  if (missing.length > 0) folder.write("keys.json", material);
  return resources.map(({ ref, attributes }) => ({
    id: ref,
    arn: attributes["Arn"] ?? "",
    aliases: aliases
      .filter(({ properties }) => [ref, attributes["Arn"]].includes(properties.TargetKeyId))
      .map(({ local }) => local.ref),
    material: Buffer.from(material[ref] ?? "", "base64"),
  }));
}

async function answer(keys: readonly Key[], request: IncomingMessage): Promise<unknown> {
  const body = await readJson(request);
  const target = request.headers["x-amz-target"];
  if (target === "TrentService.Encrypt") return encrypt(keys, v.parse(encryptRequest, body));
  if (target === "TrentService.Decrypt") return decrypt(keys, v.parse(decryptRequest, body));
  throw new KeyError(
    "UnsupportedOperationException",
    `The local world supports only TrentService.Encrypt and TrentService.Decrypt (got ${String(target)}).`,
  );
}

function find(keys: readonly Key[], name: string): Key {
  const alias = name.slice(name.indexOf("alias/"));
  const key = keys.find(
    ({ id, arn, aliases }) => id === name || arn === name || aliases.includes(alias),
  );
  if (!key)
    throw new KeyError(
      "NotFoundException",
      `Key '${name}' does not exist. Check the ID, ARN or alias.`,
    );
  return key;
}

function encrypt(keys: readonly Key[], request: v.InferOutput<typeof encryptRequest>): unknown {
  const key = find(keys, request.KeyId);
  const plaintext = Buffer.from(request.Plaintext, "base64");
  if (plaintext.length > plaintextBytesMax) {
    throw new KeyError(
      "ValidationException",
      `The plaintext must have at most ${plaintextBytesMax} bytes (got ${plaintext.length}).`,
    );
  }
  const nonce = randomBytes(nonceBytes);
  const cipher = createCipheriv("aes-256-gcm", key.material, nonce);
  cipher.setAAD(additionalData(request.EncryptionContext));
  const sealed = Buffer.concat([cipher.update(plaintext), cipher.final()]);
  const blob = Buffer.concat([idBytesOf(key), nonce, cipher.getAuthTag(), sealed]);
  return {
    CiphertextBlob: blob.toString("base64"),
    KeyId: key.arn,
    EncryptionAlgorithm: "SYMMETRIC_DEFAULT",
  };
}

function decrypt(keys: readonly Key[], request: v.InferOutput<typeof decryptRequest>): unknown {
  const blob = Buffer.from(request.CiphertextBlob, "base64");
  const key = keys.find((candidate) => idBytesOf(candidate).equals(blob.subarray(0, idBytes)));
  if (!key)
    throw new KeyError(
      "InvalidCiphertextException",
      "No key of the local world encrypted the ciphertext. Pass a ciphertext that Encrypt of this local world returned.",
    );
  if (request.KeyId !== undefined && find(keys, request.KeyId) !== key) {
    throw new KeyError(
      "IncorrectKeyException",
      `KeyId must be the key that encrypted the ciphertext, '${key.id}' (got '${request.KeyId}').`,
    );
  }
  const plaintext = open(key, blob.subarray(idBytes), request.EncryptionContext);
  return {
    Plaintext: plaintext.toString("base64"),
    KeyId: key.arn,
    EncryptionAlgorithm: "SYMMETRIC_DEFAULT",
  };
}

function open(key: Key, sealed: Buffer, context: Readonly<Record<string, string>>): Buffer {
  try {
    const decipher = createDecipheriv("aes-256-gcm", key.material, sealed.subarray(0, nonceBytes));
    decipher.setAAD(additionalData(context));
    decipher.setAuthTag(sealed.subarray(nonceBytes, nonceBytes + tagBytes));
    return Buffer.concat([
      decipher.update(sealed.subarray(nonceBytes + tagBytes)),
      decipher.final(),
    ]);
  } catch {
    throw new KeyError(
      "InvalidCiphertextException",
      "The ciphertext is damaged, or the encryption context differs. Pass the ciphertext that Encrypt returned, and the context of that call.",
    );
  }
}

/** Returns the encryption context as bytes. Sorts the pairs, because their order has no meaning. */
function additionalData(context: Readonly<Record<string, string>>): Buffer {
  const pairs = Object.entries(context).sort(([a], [b]) => (a < b ? -1 : 1));
  return Buffer.from(JSON.stringify(pairs));
}

function idBytesOf(key: Key): Buffer {
  return Buffer.from(key.id.replaceAll("-", ""), "hex");
}
