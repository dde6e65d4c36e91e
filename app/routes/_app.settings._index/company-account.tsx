import { ButtonLink } from "~/ui/button";
import { Section } from "~/ui/card";
import { RelativeTime } from "~/ui/relative-time";

export interface ShownCompanyAccount {
  provider: string;
  connectedAt: string | null;
  /** Null if this session may not connect it. */
  address: string | null;
}

/** Whether the company's account is connected, and the link that connects it. */
export function CompanyAccount({ company }: { company: ShownCompanyAccount }) {
  const { provider, connectedAt, address } = company;
  return (
    <Section
      title="Single sign-on (SSO)"
      about={`Sign in through ${provider} instead of with a password. If that account is deactivated, your sessions, tokens and workers here stop working.`}
    >
      {connectedAt ? (
        <p className="text-sm text-muted">
          Connected <RelativeTime at={connectedAt} />.
        </p>
      ) : null}
      {connectedAt === null && address ? (
        <ButtonLink to={address} reloadDocument className="justify-self-start">
          Connect {provider}
        </ButtonLink>
      ) : null}
      {connectedAt === null && address === null ? (
        <p className="text-sm text-muted">Sign in with your password on this device to connect it.</p>
      ) : null}
    </Section>
  );
}
