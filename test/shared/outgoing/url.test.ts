import { describe, expect, it } from "vitest";
import { addressPolicy } from "../../../shared/outgoing/address-policy.ts";
import { normalizeUrl, parsePublicUrl } from "../../../shared/outgoing/url.ts";

const own = { hosts: ["API.shop-service.com:443", "shop-domain.com"], apiId: "a1b2c3d4e5" };
const rules = { policy: addressPolicy(), own };
const localRules = {
  policy: addressPolicy({ allowLoopback: true }),
  own: { hosts: ["localhost:8787"], apiId: "local" },
};

describe("parsePublicUrl, which checks the form of a customer's URL,", () => {
  it.each([
    ["https://hooks.shop-example.com", "https://hooks.shop-example.com/"],
    ["HTTPS://Hooks.Shop-Example.com:443/A?b=c#d", "https://hooks.shop-example.com/A?b=c"],
    ["https://hooks.shop-example.com:1024/x", "https://hooks.shop-example.com:1024/x"],
    ["https://hooks.shop-example.com:65535/x", "https://hooks.shop-example.com:65535/x"],
    ["https://hooks.shop-example.com/../../x", "https://hooks.shop-example.com/x"],
    ["https://hooks_under.shop-example.com/", "https://hooks_under.shop-example.com/"],
    ["https://b\u00fccher.shop/", "https://xn--bcher-kva.shop/"],
    ["https://8.8.8.8/", "https://8.8.8.8/"],
    ["https://[2606:4700::1111]/", "https://[2606:4700::1111]/"],
    ["https://hooks.shop-example.com/path@with-at", "https://hooks.shop-example.com/path@with-at"],
    ["https://hooks.shop-domain.com/", "https://hooks.shop-domain.com/"],
    [
      "https://f6g7h8i9j0.execute-api.us-east-1.amazonaws.com/prod",
      "https://f6g7h8i9j0.execute-api.us-east-1.amazonaws.com/prod",
    ],
  ])("accepts the URL %s and returns the normalized URL %s", (raw, href) => {
    expect(parsePublicUrl(raw, rules)).toMatchObject({ outcome: "accepted", href });
  });

  it.each([
    "",
    "hooks.shop-example.com",
    "file:///etc/passwd",
    "javascript:alert(1)",
    "ws://hooks.shop-example.com/",
    "http://hooks.shop-example.com/",
    "https:/hooks.shop-example.com/",
    " https://hooks.shop-example.com/",
    "https://hooks.shop-example.com/ ",
    "https://hooks.shop-example.com/a\tb",
    "https://hooks.shop-example.com\\@8.8.8.8/",
    "https://user@hooks.shop-example.com/",
    "https://hooks.shop-example.com%2f@127.0.0.1/",
    "https://127.1.1.1:80:@@127.2.2.2:80",
    "https://hooks.shop-example.com:80/",
    "https://hooks.shop-example.com:444/",
    "https://hooks.shop-example.com:1023/",
    "https://hooks.shop-example.com:99999/",
    "https://127.0.0.1/",
    "https://127.1",
    "https://127.0.0.1./",
    "https://0.0/",
    "https://0x7f000001/hook",
    "https://0XA000001/hook",
    "https://0177.00.00.0001/hook",
    "https://0012.00.00.0001/hook",
    "https://0xA9.0xFE.0xA9.0xFE",
    "https://2130706433/",
    "https://169%2e254%2e169%2e254/hook",
    "https://169.254.169.254./hook",
    "https://169\uff0e254\uff0e169\uff0e254/hook",
    "https://169\u00ad.254\u00ad.169\u00ad.254/hook",
    "https://10\u200b.0\u200b.0\u200b.1/hook",
    "https://\u00b9\u2079\u00b2.\u00b9\u2076\u2078.\u2070.\u00b9/hook",
    "https://1.2.3.4.5/",
    "https://[::]/foo",
    "https://[::1]/",
    "https://[::ffff:a00:2]",
    "https://[0:0:0:0:0:ffff:0.0.0.0]/foo",
    "https://[fd00:ec2::254]/",
    "https://localhost/",
    "https://LOCALHOST./",
    "https://ip6-localhost/",
    "https://a.localhost/",
    "https://printer.local/",
    "https://db.internal/",
    "https://metadata.cloud.internal./",
    "https://x.alt/",
    "https://x.onion/",
    "https://x.home.arpa/",
    "https://1.0.0.127.in-addr.arpa/",
    "https://xn--/",
    "https://a..shop-example.com/",
    `https://${"a".repeat(64)}.shop-example.com/`,
    `https://${"a.".repeat(130)}com/`,
    `https://hooks.shop-example.com/${"x".repeat(2_048)}`,
    "https://api.shop-service.com/v1/products",
    "https://API.shop-service.com./",
    "https://api.shop-service.com:8443/",
    "https://shop-domain.com/v1/products",
    "https://Shop-Domain.com.:8443/",
    "https://a1b2c3d4e5.execute-api.us-east-1.amazonaws.com/prod/v1/products",
    "https://A1B2C3D4E5.execute-api.eu-west-1.amazonaws.com:8443/",
    "https://hooks.shop-example.com:0/",
    "https://:secret@hooks.shop-example.com/",
    "https://@hooks.shop-example.com/",
    "https:///hooks.shop-example.com/",
    "https:///user:secret@hooks.shop-example.com/",
    "https:////user@hooks.shop-example.com/",
    "https://hooks.shop-example.com/\u0000",
    "https://hooks.shop-example.com/\u007f",
    "https://hooks.shop-example.com/\r\nX-Header:1",
    "ht\ttps://hooks.shop-example.com/",
    "https://hooks.shop-example.com:44\t3/",
    "https://%00/",
    "https://\u3002/",
  ])("refuses the invalid or forbidden URL '%s'", (raw) => {
    expect(parsePublicUrl(raw, rules).outcome).toBe("refused");
  });

  it.each([
    "localhost",
    "local",
    "localdomain",
    "internal",
    "intranet",
    "lan",
    "home",
    "corp",
    "home.arpa",
    "arpa",
    "test",
    "example",
    "invalid",
    "onion",
    "alt",
    "svc",
    "metadata.google.internal",
  ])("refuses the host name '%s' and every name below it", (name) => {
    for (const host of [name, `${name}.`, name.toUpperCase(), `a.${name}`, `a.b.${name}.`]) {
      expect(parsePublicUrl(`https://${host}/`, rules).outcome).toBe("refused");
    }
    // A label that only ends with the name is not the name.
    expect(parsePublicUrl(`https://a.x${name}.com/`, rules).outcome).toBe("accepted");
    expect(parsePublicUrl(`https://${name}.shop-example.com/`, rules).outcome).toBe("accepted");
  });

  it("refuses plain HTTP and loopback hosts unless the policy allows loopback", () => {
    for (const raw of [
      "http://127.0.0.1:9000/hook",
      "http://localhost:9000/",
      "http://[::1]:9000/",
    ]) {
      expect(parsePublicUrl(raw, rules).outcome).toBe("refused");
      expect(parsePublicUrl(raw, localRules).outcome).toBe("accepted");
    }
    expect(parsePublicUrl("http://localhost:8787/v1", localRules).outcome).toBe("refused");
    expect(parsePublicUrl("http://10.0.0.1:9000/", localRules).outcome).toBe("refused");
  });

  it("returns the same normalized URL as normalizeUrl", () => {
    const raw = "HTTPS://Hooks.Shop-Example.com:443/A?b=c#d";

    expect(parsePublicUrl(raw, rules)).toMatchObject({ href: normalizeUrl(raw) });
    expect(normalizeUrl("no url")).toBeNull();
  });
});
