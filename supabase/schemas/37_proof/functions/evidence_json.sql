-- Why: one form of a piece of evidence for all readers.
create function private.evidence_json(p_evidence public.evidence, p_stale boolean)
returns json
language plpgsql
stable
set search_path = ''
as $$
begin
  return json_build_object('id', p_evidence.id, 'criterion', p_evidence.criterion, 'verdict', p_evidence.verdict,
    'grade', p_evidence.grade, 'kind', p_evidence.kind, 'command', p_evidence.command, 'exit_code', p_evidence.exit_code,
    'base_exit_code', p_evidence.base_exit_code, 'guards', p_evidence.guards, 'passed_before', p_evidence.passed_before,
    'excerpt', p_evidence.excerpt, 'url', p_evidence.url, 'file', private.file_json(p_evidence.file_id),
    'base_file', private.file_json(p_evidence.base_file_id), 'head_sha', p_evidence.head_sha, 'job_id', p_evidence.job_id,
    'attempt', p_evidence.attempt, 'observed_by', p_evidence.observed_by, 'stale', p_stale, 'voided_by', p_evidence.voided_by,
    'created_at', p_evidence.created_at);
end;
$$;

comment on function private.evidence_json is 'A piece of evidence as REST and pages show it (docs/proof.md).';
