-- Called by the MCP tool set_pbi_pr and the PBI page. A new address clears the time of the merge.
create function operations.set_pbi_pr(p_pbi_id uuid, p_pr_url text)
returns json
language plpgsql
volatile
set search_path = ''
as $$
begin
  perform private.require_write('pbi', p_pbi_id);
  update public.pbis b
  set pr_url = p_pr_url, pr_merged_at = case when b.pr_url = p_pr_url then b.pr_merged_at end
  where b.id = p_pbi_id;
  return (select row_to_json(b) from private.pbi_shape b where b.id = p_pbi_id);
end;
$$;

comment on function operations.set_pbi_pr is 'Sets or clears the pull request of a PBI (specification: PBI).';
grant execute on function operations.set_pbi_pr to authenticated;
