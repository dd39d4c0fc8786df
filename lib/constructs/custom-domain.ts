import { CfnOutput } from "aws-cdk-lib";
import { EndpointType, SecurityPolicy } from "aws-cdk-lib/aws-apigateway";
import type { RestApi } from "aws-cdk-lib/aws-apigateway";
import { Certificate } from "aws-cdk-lib/aws-certificatemanager";
import { ARecord, HostedZone, RecordTarget } from "aws-cdk-lib/aws-route53";
import { ApiGatewayDomain } from "aws-cdk-lib/aws-route53-targets";
import { Construct } from "constructs";
import type { Domain } from "../context.ts";
import { pinLogicalId } from "../pin-logical-id.ts";

export interface CustomDomainProps {
  readonly api: RestApi;
  readonly domain: Domain;
}

/**
 * A custom domain for the API, without a base path. The gateway would not remove a base path from
 * the path by which functions select routes. If `domain` has a hosted zone, this construct creates
 * the DNS record in that zone. Otherwise the stack output `DomainTarget` is the target for the
 * record that the deployer creates.
 */
export class CustomDomain extends Construct {
  constructor(scope: Construct, id: string, { api, domain }: CustomDomainProps) {
    super(scope, id);
    const certificate = Certificate.fromCertificateArn(this, "Certificate", domain.certificateArn);
    const domainName = api.addDomainName("DomainName", {
      domainName: domain.name,
      certificate,
      endpointType: EndpointType.REGIONAL,
      securityPolicy: SecurityPolicy.TLS_1_2,
    });
    // The logical ID is pinned, because a replacement would have another target, and the deployer's
    // DNS records would point to the old one.
    pinLogicalId(domainName, "ApiDomain");
    if (domain.hostedZoneId === undefined) {
      new CfnOutput(this, "Target", {
        value: domainName.domainNameAliasDomainName,
        description: `Target for the CNAME record of ${domain.name}.`,
      }).overrideLogicalId("DomainTarget");
      return;
    }
    new ARecord(this, "Alias", {
      // The record gets the zone name as its name. The real name of the zone is unknown here, so
      // the domain is passed as the zone name. The record then has the name of the domain in any
      // zone.
      zone: HostedZone.fromHostedZoneAttributes(this, "Zone", {
        hostedZoneId: domain.hostedZoneId,
        zoneName: domain.name,
      }),
      target: RecordTarget.fromAlias(new ApiGatewayDomain(domainName)),
    });
  }
}
