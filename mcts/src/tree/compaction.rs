//! Making a child the root: what is below it slides to the front of the arenas, the rest is forgotten.

use super::{Node, ROOT, Tree, arena_index};

/// The slices of one node that is kept.
#[derive(Clone, Copy, Debug)]
pub(super) struct Block {
    /// Where the slice starts before it slides.
    start: u32,
    /// The node it belongs to, by its index before anything slides.
    owner: u32,
}

impl Tree {
    /// Becomes the part of this tree below `node`, without waste.
    ///
    /// In place: the blocks that are kept slide down in the order in which they lie, so none overwrites another that is
    /// still to slide. Deep trees need no stack, as the list of blocks is the queue of what is still to be visited.
    pub fn retain_subtree(&mut self, node: usize) {
        let mut blocks = std::mem::take(&mut self.blocks);
        self.list_expanded(node, &mut blocks);
        self.slide_edges(&mut blocks);
        self.slide_children(node, &mut blocks);
        self.blocks = blocks;
    }

    /// Lists the expanded nodes at and below `node`.
    fn list_expanded(&self, node: usize, blocks: &mut Vec<Block>) {
        blocks.clear();
        let block = |index: usize| Block { start: 0, owner: arena_index(index) };
        let is_expanded = |&index: &usize| self.nodes[index].is_expanded();
        blocks.extend(Some(node).filter(is_expanded).map(block));
        let mut next = 0;
        while next < blocks.len() {
            let children = self.nodes[blocks[next].owner as usize].children();
            blocks.extend(children.filter(is_expanded).map(block));
            next += 1;
        }
    }

    fn slide_edges(&mut self, blocks: &mut [Block]) {
        self.sort_by_start(blocks, |node| node.edges_start);
        let mut end = 0;
        for block in blocks {
            let owner = &mut self.nodes[block.owner as usize];
            let edges = owner.edges();
            owner.edges_start = arena_index(end);
            self.actions.copy_within(edges.clone(), end);
            self.priors.copy_within(edges.clone(), end);
            end += edges.len();
        }
        self.actions.truncate(end);
        self.priors.truncate(end);
    }

    fn slide_children(&mut self, root: usize, blocks: &mut [Block]) {
        self.sort_by_start(blocks, |node| node.children_start);
        // Every owner learns where its children will be before the owners slide themselves.
        let mut end = ROOT + 1;
        for block in blocks.iter_mut() {
            let owner = &mut self.nodes[block.owner as usize];
            let count = owner.child_count;
            owner.child_capacity = count;
            owner.children_start = arena_index(end);
            // The owner's index is of no more use, the number of its children is.
            block.owner = u32::from(count);
            end += usize::from(count);
        }
        let root = self.nodes[root];
        let mut target = ROOT + 1;
        for block in blocks {
            let children = block.start as usize..block.start as usize + block.owner as usize;
            self.nodes.copy_within(children.clone(), target);
            self.terms.copy_within(children.clone(), target);
            target += children.len();
        }
        self.nodes.truncate(end);
        self.terms.truncate(end);
        self.nodes[ROOT] = root;
    }

    fn sort_by_start(&self, blocks: &mut [Block], start: impl Fn(&Node) -> u32) {
        for block in blocks.iter_mut() {
            block.start = start(&self.nodes[block.owner as usize]);
        }
        blocks.sort_unstable_by_key(|block| block.start);
    }
}
