-- Called by the MCP tool mark_pbi_pr_merged and the PBI page. Later calls keep the time of the first.
create function operations.mark_pbi_pr_merged(p_pbi_id uuid)
returns json
language plpgsql
volatile
set search_path = ''
as $$
begin
  perform private.require_write('pbi', p_pbi_id);

  if exists (select from public.pbis b where b.id = p_pbi_id and b.pr_url is null) then
    raise exception using errcode = 'PT409', message = 'This PBI has no pull request. Set its pr_url first.';
  end if;

  update public.pbis b set pr_merged_at = private.now() where b.id = p_pbi_id and b.pr_merged_at is null;
  return (select row_to_json(b) from private.pbi_shape b where b.id = p_pbi_id);
end;
$$;

comment on function operations.mark_pbi_pr_merged is 'Notes that the pull request of a PBI was merged (specification: PBI).';
grant execute on function operations.mark_pbi_pr_merged to authenticated;
