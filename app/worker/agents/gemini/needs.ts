import { inFolder, type ToolNeeds } from "../needs";

export const geminiNeeds: ToolNeeds = {
  home: {
    moved: { variable: "GEMINI_CLI_HOME", folder: "" },
    settings: inFolder(".gemini", [
      ...["settings.json", "GEMINI.md", ".env", "extensions", "commands", "policies", "skills"],
      ...["agents", "trustedFolders.json"],
    ]),
    login: [".gemini/oauth_creds.json"],
    copied: [".gemini/google_accounts.json", ".gemini/installation_id"],
  },
  programs: ["gemini"],
  variables: () => [/^((GEMINI|GOOGLE|CODE_ASSIST)_\w+|CLOUD_ML_REGION)$/],
  hosts: [
    ...["generativelanguage.googleapis.com", "cloudcode-pa.googleapis.com"],
    ...["oauth2.googleapis.com", "aiplatform.googleapis.com"],
  ],
  ownLookups: ["play.googleapis.com"],
};
