-- Why: a verifier reports only what it saw and its usage. The fields about the work stay as its author left them.
create function private.verifiers_report(p_report private.job_report)
returns private.job_report
language plpgsql
immutable
set search_path = ''
as $$
begin
  p_report.verify_result := null;
  p_report.base_sha := null;
  p_report.head_sha := null;
  p_report.branch := null;
  p_report.pushed_at := null;
  p_report.pr_url := null;
  return p_report;
end;
$$;

comment on function private.verifiers_report is 'What a report in the phase verify may say (docs/proof.md).';
