-- Why: what proved the stories of an imported portion goes along. A criterion is found again by the hash of its words; who
-- saw it stays a name. Called by import_stories with the stories and their new ids.
create function private.import_proof(p_product_id uuid, p_stories jsonb)
returns void
language plpgsql
volatile
set search_path = ''
as $$
begin
  insert into public.story_heads (story_id, head_sha, attempt)
  select (s ->> 'id')::uuid, s ->> 'head_sha', 0
  from jsonb_array_elements(p_stories) s
  where s ->> 'head_sha' is not null;

  insert into public.evidence (product_id, story_id, criterion, criterion_text, verdict, grade, kind, command, exit_code, excerpt,
    url, head_sha, observed_by, created_at)
  select p_product_id, (e.story ->> 'id')::uuid, private.criterion_id(l.line ->> 'criterion'), l.line ->> 'criterion',
    (l.line ->> 'verdict')::public.evidence_verdict, (l.line ->> 'grade')::public.evidence_grade,
    (l.line ->> 'kind')::public.evidence_kind, l.line ->> 'command', (l.line ->> 'exit_code')::integer, l.line ->> 'excerpt',
    l.line ->> 'url', l.line ->> 'head_sha', l.line ->> 'observed_by',
    coalesce((l.line ->> 'created_at')::timestamptz, private.now())
  from jsonb_array_elements(p_stories) with ordinality e (story, place)
  cross join lateral jsonb_array_elements(e.story -> 'evidence') with ordinality l (line, place)
  order by e.place, l.place;

  insert into public.waivers (product_id, story_id, criterion, criterion_text, reason, waived_by, created_at)
  select p_product_id, (s ->> 'id')::uuid, private.criterion_id(w ->> 'criterion'), w ->> 'criterion', w ->> 'reason',
    w ->> 'waived_by', coalesce((w ->> 'created_at')::timestamptz, private.now())
  from jsonb_array_elements(p_stories) s
  cross join lateral jsonb_array_elements(s -> 'waivers') w
  on conflict (story_id, criterion) do nothing;
end;
$$;

comment on function private.import_proof is 'Evidence and waivers of an import (docs/export-format.md).';

grant execute on function private.import_proof to service_role;
